package import VTXMedia

/// What one device can do: what it cannot is a missing row.
package struct CapabilityMatrix: Sendable, Hashable {
    package var device: DeviceID
    /// For people: a GPU's name, or `software (libavcodec)`.
    package var deviceName: String
    package var isHardware: Bool
    package var encoders: [EncoderCapability]

    package init(device: DeviceID, deviceName: String, isHardware: Bool, encoders: [EncoderCapability]) {
        self.device = device
        self.deviceName = deviceName
        self.isHardware = isHardware
        self.encoders = encoders
    }

    /// The row for a codec and profile, if the device has it.
    package func encoder(_ codec: VideoCodec, _ profile: VideoProfile) -> EncoderCapability? {
        encoders.first { $0.codec == codec && $0.profile == profile }
    }

    package func encodes(_ codec: VideoCodec) -> Bool { encoders.contains { $0.codec == codec } }
}

/// A codec and profile that a device encodes.
package struct EncoderCapability: Sendable, Hashable {
    package var codec: VideoCodec
    package var profile: VideoProfile
    package var minSize: PixelSize
    package var maxSize: PixelSize
    /// Closed captions that come with the frames (ATSC A/53) go into the bitstream.
    package var keepsCaptions: Bool

    package init(
        codec: VideoCodec, profile: VideoProfile, minSize: PixelSize, maxSize: PixelSize, keepsCaptions: Bool
    ) {
        self.codec = codec
        self.profile = profile
        self.minSize = minSize
        self.maxSize = maxSize
        self.keepsCaptions = keepsCaptions
    }

    package func holds(_ size: PixelSize) -> Bool {
        (minSize.width...maxSize.width).contains(size.width)
            && (minSize.height...maxSize.height).contains(size.height)
    }
}
