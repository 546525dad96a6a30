/// The stages of processing a frame. Each may run on a different device.
package enum VideoStage: String, Sendable, Hashable, CaseIterable, Codable {
    case decode
    case filter
    case encode
}

/// A call of a GPU's driver: by whom it can be ended.
package struct DriverUse: Sendable, Hashable, Codable {
    package var device: DeviceID
    /// nil if several stages call it, or for another purpose.
    package var stage: VideoStage?

    package init(_ device: DeviceID, _ stage: VideoStage? = nil) {
        self.device = device
        self.stage = stage
    }
}
