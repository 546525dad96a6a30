/// Names a device: `software`, or a GPU's render node.
package struct DeviceID: Sendable, Hashable {
    package var name: String

    package init(_ name: String) { self.name = name }
}

/// What one device can do: what it cannot is a missing row.
package struct CapabilityMatrix: Sendable, Hashable, Codable {
    package var device: DeviceID
    /// For people: a GPU's name, or `software (libavcodec)`.
    package var deviceName: String
    package var isHardware: Bool
    /// Everything that `--device` may call it.
    package var selectors: Set<DeviceSelector>
    /// How busy it is: of two devices that can do a job, the one with the smaller number gets it.
    package var load: Int
    package var decoding: DecodingCapability
    package var filtering: FilterCapability
    package var encoders: [EncoderCapability]

    package init(
        device: DeviceID, deviceName: String, isHardware: Bool, selectors: Set<DeviceSelector> = [], load: Int = 0,
        decoding: DecodingCapability = .everything, filtering: FilterCapability = .everything,
        encoders: [EncoderCapability]
    ) {
        self.device = device
        self.deviceName = deviceName
        self.isHardware = isHardware
        self.selectors = selectors
        self.load = load
        self.decoding = decoding
        self.filtering = filtering
        self.encoders = encoders
    }

    /// The row for a codec and profile, if the device has it.
    package func encoder(_ codec: VideoCodec, _ profile: VideoProfile) -> EncoderCapability? {
        encoders.first { $0.codec == codec && $0.profile == profile }
    }

    /// Whether there is anything at all that the device decodes or encodes.
    package var codesVideo: Bool { !encoders.isEmpty || decoding != .rows([]) }

    package func encodes(_ codec: VideoCodec) -> Bool { encoders.contains { $0.codec == codec } }
}
