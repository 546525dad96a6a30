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
    /// The encoder's way that failed, where its device may have another.
    package var mode: EncodingMode?
    /// No picture had come out of the encoder yet.
    package var isBeforeFirstPacket = false

    package init(
        stage: VideoStage, device: DeviceID, deviceName: String, message: String, mode: EncodingMode? = nil,
        isBeforeFirstPacket: Bool = false
    ) {
        self.stage = stage
        self.device = device
        self.deviceName = deviceName
        self.message = message
        self.mode = mode
        self.isBeforeFirstPacket = isBeforeFirstPacket
    }

    /// Another way to encode may do, on the same device.
    package var costsModeOnly: Bool { isBeforeFirstPacket && mode != nil }

    /// As evidence in a notice.
    package var reason: String { "it failed at its start: \(message)" }
}

/// What GPUs have failed at on one job, and what the next attempt therefore leaves to others. Pure.
package struct HardwareFailures: Sendable, Hashable, Codable {
    /// Each costs its GPU one stage, or one of its ways to encode.
    package private(set) var beforeFirstPacket: [HardwareFailure] = []
    /// Costs all GPUs the whole job: one that fails in the middle is trusted no further.
    package private(set) var midStream: HardwareFailure?

    package init() {}

    package mutating func note(_ fault: HardwareFailure) {
        let isNew = !beforeFirstPacket.contains {
            $0.stage == fault.stage && $0.device == fault.device && $0.mode == fault.mode
        }
        if fault.isBeforeFirstPacket, isNew { beforeFirstPacket.append(fault) } else { midStream = fault }
    }

    /// How a device's ways to encode failed at their first picture.
    package func failedModes(of device: DeviceID) -> [EncodingMode: String] {
        let failures = beforeFirstPacket.filter { $0.device == device }.compactMap { fault in
            fault.mode.map { ($0, fault.message) }
        }
        return Dictionary(failures) { first, _ in first }
    }

    package func reason(against device: DeviceID, at stage: VideoStage) -> String? {
        beforeFirstPacket.first { $0.device == device && $0.stage == stage }?.reason
    }
}
