package import VTXMedia

/// A failure of a GPU at a stage for which it had been opened.
package struct HardwareFailure: Error, Sendable, Hashable, Codable {
    package var stage: VideoStage
    package var device: DeviceID
    package var deviceName: String
    /// One sentence with the failed call and its status.
    package var message: String
    /// The encoding mode that failed, if the device may have another one.
    package var mode: EncodingMode?
    /// Whether there was no surface for another frame.
    package var isOutOfMemory = false
    /// Whether the encoder had not output a packet yet.
    package var isBeforeFirstPacket = false
    /// All stages of the job that ran on the GPU.
    package var stages: [VideoStage]

    package init(
        stage: VideoStage, device: DeviceID, deviceName: String, message: String, mode: EncodingMode? = nil,
        isOutOfMemory: Bool = false, isBeforeFirstPacket: Bool = false, stages: [VideoStage]? = nil
    ) {
        self.stage = stage
        self.device = device
        self.deviceName = deviceName
        self.message = message
        self.mode = mode
        self.isOutOfMemory = isOutOfMemory
        self.isBeforeFirstPacket = isBeforeFirstPacket
        self.stages = stages ?? [stage]
    }

    /// Whether another mode may work on the same device.
    package var costsModeOnly: Bool { isBeforeFirstPacket && mode != nil }

    /// The evidence in a notice.
    package var reason: String {
        isOutOfMemory ? "it has too little memory for this: \(message)" : "it failed at its start: \(message)"
    }
}

/// The GPU failures of a job, and therefore what the next attempt assigns to other devices: all that attempts share.
/// Pure.
package struct HardwareFailures: Sendable, Hashable, Codable {
    /// Each excludes its GPU from one stage, or one of its encoding modes.
    package private(set) var beforeFirstPacket: [HardwareFailure] = []
    /// Each excludes its GPU from the whole job: a device that fails after the start is not used again.
    package private(set) var midStream: [HardwareFailure] = []
    /// GPUs that get fewer frames at once.
    package private(set) var shortOfMemory: Set<DeviceID> = []
    /// Stages that were moved away from those GPUs, with the shortage that caused it.
    package private(set) var reliefs: [HardwareFailure] = []
    /// The driver failures of earlier processes with the same job.
    package private(set) var driverFailures: [DriverFailure] = []
    /// The codec that an earlier attempt had begun to write. It was reported to the user and does not change.
    package var codec: VideoCodec?

    /// - Parameter driverFailures: The driver failures of earlier processes with the same job.
    package init(_ driverFailures: [DriverFailure] = []) {
        self.driverFailures = driverFailures
        codec = driverFailures.codec
    }

    package mutating func note(_ failure: HardwareFailure) {
        if failure.isOutOfMemory, relieve(failure) { return }
        let isNew = !beforeFirstPacket.contains {
            $0.stage == failure.stage && $0.device == failure.device && $0.mode == failure.mode
        }
        if failure.isBeforeFirstPacket, isNew { beforeFirstPacket.append(failure) } else { midStream.append(failure) }
    }

    /// Reduces the load of a GPU that is short of memory: first the number of frames, then decoding, which holds the
    /// most surfaces, then filtering.
    ///
    /// - Returns: whether the load could be reduced.
    private mutating func relieve(_ failure: HardwareFailure) -> Bool {
        if shortOfMemory.insert(failure.device).inserted { return true }
        guard let stage = [VideoStage.decode, .filter].first(where: failure.stages.contains) else { return false }
        var relief = failure
        (relief.stage, relief.mode) = (stage, nil)
        reliefs.append(relief)
        return true
    }

    /// Whether the GPU may succeed with less memory.
    package func isFirstShortage(_ failure: HardwareFailure) -> Bool {
        failure.isOutOfMemory && !shortOfMemory.contains(failure.device)
    }

    package func excludes(_ device: DeviceID) -> Bool { midStream.contains { $0.device == device } }
    /// Whether its driver ended a process at this stage, and the device serves the other stages.
    package func excludes(_ device: DeviceID, at stage: VideoStage) -> Bool { loss(of: device, at: stage) != nil }
    /// Returns why; nil if it is not so.
    package func loss(of device: DeviceID, at stage: VideoStage) -> DriverFailure? {
        driverFailures.first { $0.excludes(device, at: stage) }
    }
    /// Whether no GPU may be used, because it is unknown which one failed.
    package var excludesAll: Bool { driverFailures.excludeAll }
    /// Whether an earlier attempt began to write. A driver that failed while being queried did not end an attempt.
    package var hasAttempts: Bool {
        driverFailures.contains { !$0.isWhileAsked } || !shortOfMemory.isEmpty
            || !(beforeFirstPacket + midStream).isEmpty
    }
    /// Whether a GPU failed on which the job had started.
    package var endedAttempt: Bool { driverFailures.reported != nil || !midStream.isEmpty }

    /// Returns the modes of a device that failed at the first frame, with the reasons.
    package func failedModes(of device: DeviceID) -> [EncodingMode: String] {
        let failures = beforeFirstPacket.filter { $0.device == device }.compactMap { failure in
            failure.mode.map { ($0, failure.message) }
        }
        return Dictionary(failures) { first, _ in first }
    }

    package func reason(against device: DeviceID, at stage: VideoStage) -> String? {
        (beforeFirstPacket + reliefs).first { $0.device == device && $0.stage == stage }?.reason
            ?? loss(of: device, at: stage).map { "its driver \($0.symptom)" }
    }
}
