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
    package var tunings: [EncoderTuning]
    /// The names of the encoder's own options that can be set.
    package var options: [String]

    package init(
        codec: VideoCodec, profile: VideoProfile, minSize: PixelSize, maxSize: PixelSize, keepsCaptions: Bool,
        keepsHDRMetadata: Bool = true, reordersFrames: Bool = true, reordersFramesOnRequest: Bool? = nil,
        pixelFormats: [PixelFormat]? = nil, tunings: [EncoderTuning] = [], options: [String] = []
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

/// The filters that a device applies between decoder and encoder.
package enum FilterCapability: Sendable, Hashable, Codable {
    /// Everything that a `FilterConfiguration` can express.
    case everything
    /// No filter: frames pass unchanged.
    case nothing
    case some(VideoProcessing)

    package struct VideoProcessing: Sendable, Hashable, Codable {
        /// The pixel formats of its surfaces.
        package var pixelFormats: [PixelFormat]
        package var deinterlaces: Bool
        /// Whether it converts HDR10 (PQ in BT.2020) to SDR.
        package var mapsTones: Bool
        package var denoises: Bool
        package var sharpens: Bool
        package var orientations: Set<DisplayMatrix.Orientation>
        package var maxSize: PixelSize

        package init(
            pixelFormats: [PixelFormat], deinterlaces: Bool, mapsTones: Bool = false, denoises: Bool = false,
            sharpens: Bool = false, orientations: Set<DisplayMatrix.Orientation>, maxSize: PixelSize
        ) {
            self.pixelFormats = pixelFormats
            self.deinterlaces = deinterlaces
            self.mapsTones = mapsTones
            self.denoises = denoises
            self.sharpens = sharpens
            self.orientations = orientations
            self.maxSize = maxSize
        }
    }

    /// Returns why the device cannot apply a configuration; nil if it can.
    package func obstacle(to configuration: FilterConfiguration, from source: FrameFormat) -> String? {
        switch self {
        case .everything: nil
        case .nothing:
            configuration.isIdentity(for: source) ? nil : "its driver has no video processing (VAEntrypointVideoProc)"
        case .some(let processing):
            configuration.isIdentity(for: source) ? nil : processing.obstacle(to: configuration, from: source)
        }
    }
}

extension FilterCapability.VideoProcessing {
    fileprivate func obstacle(to configuration: FilterConfiguration, from source: FrameFormat) -> String? {
        if let only = Self.softwareOnly(configuration) { return only }
        if configuration.denoising != nil, !denoises { return "it does not reduce noise" }
        if configuration.sharpening != nil, !sharpens { return "it does not sharpen pictures" }
        if configuration.isDeinterlacing(source) && !deinterlaces { return "it does not deinterlace" }
        if let mapping = configuration.toneMapping, configuration.isToneMapping(source),
            let obstacle = obstacle(to: mapping, of: source)
        {
            return obstacle
        }
        if !orientations.contains(configuration.orientation) {
            return "it cannot rotate pictures (\(configuration.orientation.rawValue))"
        }
        if let obstacle = obstacle(toSamplesOf: configuration, from: source) { return obstacle }
        for size in [source.size, configuration.size] where size.width > maxSize.width || size.height > maxSize.height {
            return "it processes pictures up to \(maxSize), not \(size)"
        }
        return nil
    }

    /// Returns what only software supports; nil for nothing.
    private static func softwareOnly(_ configuration: FilterConfiguration) -> String? {
        if configuration.custom != nil { return "libavfilter's filters run only in software" }
        if configuration.deinterlacing == .everyField, configuration.frameRate != nil {
            return "only software outputs a frame of each field at another frame rate"
        }
        if configuration.deinterlacing == .telecine { return "only software removes 3:2 pulldown" }
        return nil
    }

    private func obstacle(toSamplesOf configuration: FilterConfiguration, from source: FrameFormat) -> String? {
        if !takes(source.pixelFormat) { return "it does not process \(source.pixelFormat)" }
        if !takes(configuration.pixelFormat) { return "it does not output \(configuration.pixelFormat)" }
        if configuration.sourceMatrix != nil { return "it is not trusted to convert between color matrices" }
        if source.color.isFullRange != nil, source.color.isFullRange != configuration.color.isFullRange {
            return "it is not trusted to convert between full and limited range"
        }
        return nil
    }

    private func obstacle(to mapping: ToneMapping, of source: FrameFormat) -> String? {
        let color = mapping.meaning(of: source.color)
        if !mapsTones { return "its driver does not convert HDR to SDR" }
        if !color.isPQ { return "it converts only PQ (HDR10) to SDR, not HLG" }
        if color.primaries != 9 || color.matrix != 9 { return "it converts only BT.2020 to SDR" }
        return source.pixelFormat.bitDepth == 10 ? nil : "it converts only 10-bit samples to SDR"
    }

    /// Samples may be rearranged during upload to a surface, but not changed.
    private func takes(_ format: PixelFormat) -> Bool {
        pixelFormats.contains { $0.hasSamples(like: format) } && !format.isRGB
    }
}
