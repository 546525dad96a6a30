/// The name of a device: `software`, or a GPU's render node.
package struct DeviceID: Sendable, Hashable {
    package var name: String

    package init(_ name: String) { self.name = name }
}

/// The capabilities of a device. What is not listed is not supported.
package struct CapabilityMatrix: Sendable, Hashable, Codable {
    package var device: DeviceID
    /// The display name: a GPU's name, or `software (libavcodec)`.
    package var deviceName: String
    package var isHardware: Bool
    /// The names by which a user can select the device.
    package var selectors: Set<DeviceSelector>
    /// How busy the device is. Of two devices that support a job, the one with the lower load is used.
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

    /// Returns the entry for a codec and profile; nil if the device does not encode it.
    package func encoder(_ codec: VideoCodec, _ profile: VideoProfile) -> EncoderCapability? {
        encoders.first { $0.codec == codec && $0.profile == profile }
    }

    /// Whether the device decodes or encodes anything.
    package var codesVideo: Bool { !encoders.isEmpty || decoding != .rows([]) }

    package func encodes(_ codec: VideoCodec) -> Bool { encoders.contains { $0.codec == codec } }
}

/// A codec and profile that a device encodes.
package struct EncoderCapability: Sendable, Hashable, Codable {
    package var codec: VideoCodec
    package var profile: VideoProfile
    package var minSize: PixelSize
    package var maxSize: PixelSize
    /// Whether closed captions of the frames (ATSC A/53) are written to the bitstream.
    package var keepsCaptions: Bool
    /// Whether HDR10's mastering display and content light level are written to the bitstream.
    package var keepsHDRMetadata: Bool
    /// Whether it encodes B frames.
    package var reordersFrames: Bool
    /// Whether it does if a depth is requested, although its driver is known to break them.
    package var reordersFramesOnRequest: Bool
    /// The pixel formats it accepts; nil for any planar format of the profile.
    package var pixelFormats: [PixelFormat]?
    /// The encoder's own presets, by their names.
    package var presets: [String]
    package var tunings: [EncoderTuning]
    /// The names of the encoder's own options that can be set.
    package var options: [String]

    package init(
        codec: VideoCodec, profile: VideoProfile, minSize: PixelSize, maxSize: PixelSize, keepsCaptions: Bool,
        keepsHDRMetadata: Bool = true, reordersFrames: Bool = true, reordersFramesOnRequest: Bool? = nil,
        pixelFormats: [PixelFormat]? = nil, presets: [String] = [], tunings: [EncoderTuning] = [],
        options: [String] = []
    ) {
        self.codec = codec
        self.profile = profile
        self.minSize = minSize
        self.maxSize = maxSize
        self.keepsCaptions = keepsCaptions
        self.keepsHDRMetadata = keepsHDRMetadata
        self.reordersFrames = reordersFrames
        self.reordersFramesOnRequest = reordersFramesOnRequest ?? reordersFrames
        self.pixelFormats = pixelFormats
        self.presets = presets
        self.tunings = tunings
        self.options = options
    }

    package func holds(_ size: PixelSize) -> Bool {
        (minSize.width...maxSize.width).contains(size.width)
            && (minSize.height...maxSize.height).contains(size.height)
    }

    /// Returns the format in which the encoder accepts such samples; nil if it does not.
    package func input(like format: PixelFormat) -> PixelFormat? {
        guard let pixelFormats else { return format }
        return pixelFormats.first { $0.hasSamples(like: format) }
    }
}

/// The streams that a device decodes.
package enum DecodingCapability: Sendable, Hashable {
    /// Everything that this build of libavcodec decodes.
    case everything
    case rows([DecoderCapability])

    /// Returns why the device cannot decode a stream; nil if it can.
    ///
    /// - Parameter softwareTool: A coding tool of the stream that only software decodes.
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

/// A format that a device decodes.
package struct DecoderCapability: Sendable, Hashable, Codable {
    /// The libavcodec name: `h264`, `mpeg2video`.
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
    /// Decodes the rows, or null for everything.
    package init(from decoder: any Decoder) throws {
        let rows = try decoder.singleValueContainer().decode([DecoderCapability]?.self)
        self = rows.map(DecodingCapability.rows) ?? .everything
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .rows(let rows) = self { try container.encode(rows) } else { try container.encodeNil() }
    }
}
