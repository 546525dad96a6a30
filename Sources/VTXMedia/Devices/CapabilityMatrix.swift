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

/// A codec and profile that a device encodes.
package struct EncoderCapability: Sendable, Hashable, Codable {
    package var codec: VideoCodec
    package var profile: VideoProfile
    package var minSize: PixelSize
    package var maxSize: PixelSize
    /// Closed captions that come with the frames (ATSC A/53) go into the bitstream.
    package var keepsCaptions: Bool
    /// HDR10's mastering display and light level go into the bitstream.
    package var keepsHDRMetadata: Bool
    /// B frames.
    package var reordersFrames: Bool
    /// What frames must be made of; nil for any planar format that the profile holds.
    package var pixelFormats: [PixelFormat]?

    package init(
        codec: VideoCodec, profile: VideoProfile, minSize: PixelSize, maxSize: PixelSize, keepsCaptions: Bool,
        keepsHDRMetadata: Bool = true, reordersFrames: Bool = true, pixelFormats: [PixelFormat]? = nil
    ) {
        self.codec = codec
        self.profile = profile
        self.minSize = minSize
        self.maxSize = maxSize
        self.keepsCaptions = keepsCaptions
        self.keepsHDRMetadata = keepsHDRMetadata
        self.reordersFrames = reordersFrames
        self.pixelFormats = pixelFormats
    }

    package func holds(_ size: PixelSize) -> Bool {
        (minSize.width...maxSize.width).contains(size.width)
            && (minSize.height...maxSize.height).contains(size.height)
    }

    /// The format that the encoder takes such samples in; nil where it does not take them.
    package func input(like format: PixelFormat) -> PixelFormat? {
        guard let pixelFormats else { return format }
        return pixelFormats.first { $0.hasSamples(like: format) }
    }
}

/// What a device decodes.
package enum DecodingCapability: Sendable, Hashable {
    /// Whatever this build of libavcodec does.
    case everything
    case rows([DecoderCapability])

    /// Why the device cannot decode this; nil where it can.
    ///
    /// - Parameter softwareTool: what the stream uses that only software decodes.
    package func obstacle(
        to codec: String, _ format: PixelFormat, _ size: PixelSize, softwareTool: String? = nil
    ) -> String? {
        guard case .rows(let rows) = self else { return nil }
        if let tool = softwareTool { return "no VA-API driver decodes \(tool) of \(codec)" }
        let ofCodec = rows.filter { $0.codec == codec }
        if ofCodec.isEmpty { return "it has no decoder for \(codec)" }
        let ofSamples = ofCodec.filter {
            !format.isRGB && $0.chroma == max(format.chroma, .yuv420) && $0.bitDepth == format.bitDepth
        }
        if ofSamples.isEmpty { return "it does not decode \(format.bitDepth)-bit \(format.chroma.ratio) \(codec)" }
        let limits = ofSamples.map(\.maxSize)
        guard limits.contains(where: { size.width <= $0.width && size.height <= $0.height }) else {
            return "it decodes \(codec) up to \(limits.first ?? size), not \(size)"
        }
        return nil
    }
}

/// Pictures that a device decodes.
package struct DecoderCapability: Sendable, Hashable, Codable {
    /// libavcodec's name: `h264`, `mpeg2video`.
    package var codec: String
    package var chroma: ChromaSampling
    package var bitDepth: Int
    package var maxSize: PixelSize

    package init(codec: String, chroma: ChromaSampling, bitDepth: Int, maxSize: PixelSize) {
        self.codec = codec
        self.chroma = chroma
        self.bitDepth = bitDepth
        self.maxSize = maxSize
    }
}

extension DecodingCapability: Codable {
    /// The rows, or null for everything.
    package init(from decoder: any Decoder) throws {
        let rows = try decoder.singleValueContainer().decode([DecoderCapability]?.self)
        self = rows.map(DecodingCapability.rows) ?? .everything
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .rows(let rows) = self { try container.encode(rows) } else { try container.encodeNil() }
    }
}
