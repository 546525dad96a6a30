import VTXMedia
import VTXSession

/// What is done with each picture. Each stage may run on a device of its own.
enum VideoStage: String, Sendable, Hashable, CaseIterable {
    case decode
    case filter
    case encode
}

/// A GPU that failed at a stage, although it had been opened for it.
struct HardwareFailure: Error, Sendable, Hashable {
    var stage: VideoStage
    var device: DeviceID
    var deviceName: String
    /// One sentence: which call failed, and how.
    var message: String
    /// The encoder's way that failed, where its device may have another.
    var mode: EncodingMode?
    /// No picture had come out of the encoder yet.
    var isBeforeFirstPacket = false

    /// Another way to encode may do, on the same device.
    var costsModeOnly: Bool { isBeforeFirstPacket && mode != nil }

    /// As evidence in a notice.
    var reason: String { "it failed at its start: \(message)" }
}

/// What GPUs have failed at on one job, and what the next attempt therefore leaves to others. Pure.
struct HardwareFailures: Sendable, Hashable {
    /// Each costs its GPU one stage, or one of its ways to encode.
    private(set) var beforeFirstPacket: [HardwareFailure] = []
    /// Costs all GPUs the whole job: one that fails in the middle is trusted no further.
    private(set) var midStream: HardwareFailure?

    mutating func note(_ fault: HardwareFailure) {
        let isNew = !beforeFirstPacket.contains {
            $0.stage == fault.stage && $0.device == fault.device && $0.mode == fault.mode
        }
        if fault.isBeforeFirstPacket, isNew { beforeFirstPacket.append(fault) } else { midStream = fault }
    }

    /// How a device's ways to encode failed at their first picture.
    func failedModes(of device: DeviceID) -> [EncodingMode: String] {
        let failures = beforeFirstPacket.filter { $0.device == device }.compactMap { fault in
            fault.mode.map { ($0, fault.message) }
        }
        return Dictionary(failures) { first, _ in first }
    }

    func reason(against device: DeviceID, at stage: VideoStage) -> String? {
        beforeFirstPacket.first { $0.device == device && $0.stage == stage }?.reason
    }
}
