/// The stages of processing a frame. Each may run on a different device.
package enum VideoStage: String, Sendable, Hashable, CaseIterable, Codable {
    case decode
    case filter
    case encode
}

/// The device and stage of a driver call.
package struct DriverUse: Sendable, Hashable, Codable {
    package var device: DeviceID
    /// nil if several stages call it, or for another purpose.
    package var stage: VideoStage?
    /// Whether it was only one of many calls at some moment. A driver that never comes back from it is known by that,
    /// one that crashes is not.
    package var isSampled: Bool

    package init(_ device: DeviceID, _ stage: VideoStage? = nil, isSampled: Bool = false) {
        self.device = device
        self.stage = stage
        self.isSampled = isSampled
    }
}
