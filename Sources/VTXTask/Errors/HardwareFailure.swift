package import VTXMedia

/// What is done with each picture. Each stage may run on a device of its own.
package enum VideoStage: String, Sendable, Hashable, CaseIterable, Codable {
    case decode
    case filter
    case encode
}

/// A GPU that failed at a stage, although it had been opened for it.
package struct HardwareFailure: Error, Sendable, Hashable, Codable {
    package var stage: VideoStage
    package var device: DeviceID
    package var deviceName: String
    /// One sentence: which call failed, and how.
    package var message: String
    /// The encoder's mode that failed, where its device may have another.
    package var mode: EncodingMode?
    /// There was no surface for another frame.
    package var isOutOfMemory = false
    /// No frame had come out of the encoder yet.
    package var isBeforeFirstPacket = false
    /// All that the GPU did of the job.
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

    /// Another mode may do, on the same device.
    package var costsModeOnly: Bool { isBeforeFirstPacket && mode != nil }

    /// As evidence in a notice.
    package var reason: String {
        isOutOfMemory ? "it has too little memory for this: \(message)" : "it failed at its start: \(message)"
    }
}

/// What GPUs have failed at on one job, and what the next attempt therefore leaves to others: all that an attempt knows of
/// those before it. Pure.
package struct HardwareFailures: Sendable, Hashable, Codable {
    /// Each costs its GPU one stage, or one of its modes to encode in.
    package private(set) var beforeFirstPacket: [HardwareFailure] = []
    /// Each costs its GPU the whole job: a device that fails after its start is not used again.
    package private(set) var midStream: [HardwareFailure] = []
    /// GPUs that are given fewer frames at one time.
    package private(set) var shortOfMemory: Set<DeviceID> = []
    /// Stages that were taken from those, with the shortage that they were taken for.
    package private(set) var reliefs: [HardwareFailure] = []
    /// What drivers did to earlier processes that had the same job.
    package private(set) var driverFailures: [DriverFailure] = []
    /// What an earlier attempt had begun to write; the user was told so, and it stays.
    package var codec: VideoCodec?

    /// - Parameter driverFailures: of earlier processes that had the same job.
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

    /// Gives a GPU that is short of memory less to do: fewer frames at one time, then no decoding, which keeps the most
    /// surfaces, then no filtering.
    ///
    /// - Returns: whether there was anything left to take from it.
    private mutating func relieve(_ failure: HardwareFailure) -> Bool {
        if shortOfMemory.insert(failure.device).inserted { return true }
        guard let stage = [VideoStage.decode, .filter].first(where: failure.stages.contains) else { return false }
        var relief = failure
        (relief.stage, relief.mode) = (stage, nil)
        reliefs.append(relief)
        return true
    }

    /// The GPU may do the job with less memory.
    package func isFirstShortage(_ failure: HardwareFailure) -> Bool {
        failure.isOutOfMemory && !shortOfMemory.contains(failure.device)
    }

    package func excludes(_ device: DeviceID) -> Bool { midStream.contains { $0.device == device } }
    /// It is not known which GPU failed, so none is to be used any more.
    package var excludesAll: Bool { driverFailures.excludeAll }
    /// An earlier attempt has begun to write; a driver that failed when it was asked has ended none.
    package var hasAttempts: Bool {
        driverFailures.contains { !$0.isWhileAsked } || !shortOfMemory.isEmpty
            || !(beforeFirstPacket + midStream).isEmpty
    }
    /// A GPU that the job had begun on has failed.
    package var endedAttempt: Bool { driverFailures.reported != nil || !midStream.isEmpty }

    /// How a device's modes failed at their first picture.
    package func failedModes(of device: DeviceID) -> [EncodingMode: String] {
        let failures = beforeFirstPacket.filter { $0.device == device }.compactMap { failure in
            failure.mode.map { ($0, failure.message) }
        }
        return Dictionary(failures) { first, _ in first }
    }

    package func reason(against device: DeviceID, at stage: VideoStage) -> String? {
        (beforeFirstPacket + reliefs).first { $0.device == device && $0.stage == stage }?.reason
    }
}

/// What a GPU's driver did to the process that it was in.
package struct DriverFailure: Sendable, Hashable, Codable {
    /// nil where no driver had been called yet.
    package var device: DeviceID?
    /// What the driver did, as a predicate: `aborted (SIGABRT) after 113 frames`.
    package var deed: String
    package var isHang: Bool
    /// Nothing was coming out yet: the driver fails at every job.
    package var isWhileAsked: Bool
    /// What was coming out; nil where that was not decided yet.
    package var codec: VideoCodec?

    package init(device: DeviceID?, deed: String, isHang: Bool, isWhileAsked: Bool, codec: VideoCodec? = nil) {
        self.device = device
        self.deed = deed
        self.isHang = isHang
        self.isWhileAsked = isWhileAsked
        self.codec = codec
    }

    /// `the driver of /dev/dri/renderD128 aborted (SIGABRT) after 113 frames`; which one it was is not always known.
    package var description: String {
        device.map { "the driver of \($0.name) \(deed)" } ?? "the GPU's driver \(deed)"
    }
}

extension [DriverFailure] {
    /// It is not known which GPU failed, so none is to be used any more.
    package var excludeAll: Bool { contains { $0.device == nil } }

    /// What is to be told of a job that had begun; of one that had not there is only the GPU's fault.
    package var reported: DriverFailure? { last { !$0.isWhileAsked || $0.device == nil } }

    /// What an earlier worker had begun to write; the user was told so, and it stays.
    package var codec: VideoCodec? { lazy.compactMap(\.codec).first }
}
