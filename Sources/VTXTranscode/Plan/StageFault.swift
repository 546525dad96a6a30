import VTXSession

/// What is done with each picture. Each stage may run on a device of its own.
enum VideoStage: String, Sendable, Hashable, CaseIterable {
    case decode
    case filter
    case encode
}

/// A GPU that failed at a stage, although it had been opened for it.
struct StageFault: Error, Sendable, Hashable {
    var stage: VideoStage
    var device: DeviceID
    var deviceName: String
    /// One sentence: which call failed, and how.
    var message: String
    /// No picture had come out of the encoder yet.
    var isAtStart = false

    /// As evidence in a notice.
    var reason: String { "it failed at its start: \(message)" }
}

/// What GPUs have failed at on one job, and what the next attempt therefore leaves to others. Pure.
struct StageFaults: Sendable, Hashable {
    /// Each costs its GPU one stage.
    private(set) var atStart: [StageFault] = []
    /// Costs all GPUs the whole job: one that fails in the middle is trusted no further.
    private(set) var inTheMiddle: StageFault?

    mutating func note(_ fault: StageFault) {
        let isNew = !atStart.contains { $0.stage == fault.stage && $0.device == fault.device }
        if fault.isAtStart, isNew { atStart.append(fault) } else { inTheMiddle = fault }
    }

    func reason(against device: DeviceID, at stage: VideoStage) -> String? {
        atStart.first { $0.device == device && $0.stage == stage }?.reason
    }
}
