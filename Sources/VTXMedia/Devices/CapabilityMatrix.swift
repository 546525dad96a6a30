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
    package var tunings: [EncoderTuning]
    /// Names of its own options that can be set.
    package var options: [String]

    package init(
        codec: VideoCodec, profile: VideoProfile, minSize: PixelSize, maxSize: PixelSize, keepsCaptions: Bool,
        keepsHDRMetadata: Bool = true, reordersFrames: Bool = true, pixelFormats: [PixelFormat]? = nil,
        tunings: [EncoderTuning] = [], options: [String] = []
    ) {
        self.codec = codec
        self.profile = profile
        self.minSize = minSize
        self.maxSize = maxSize
        self.keepsCaptions = keepsCaptions
        self.keepsHDRMetadata = keepsHDRMetadata
        self.reordersFrames = reordersFrames
        self.pixelFormats = pixelFormats
        self.tunings = tunings
        self.options = options
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

/// What a device does with pictures between decoder and encoder.
package enum FilterCapability: Sendable, Hashable, Codable {
    /// All that a `FilterConfiguration` can ask for.
    case everything
    /// Frames pass as they are, or not at all.
    case nothing
    case some(VideoProcessing)

    package struct VideoProcessing: Sendable, Hashable, Codable {
        /// In which samples lie on surfaces.
        package var pixelFormats: [PixelFormat]
        package var deinterlaces: Bool
        /// HDR10, which is PQ in BT.2020, into SDR.
        package var mapsTones: Bool
        package var orientations: Set<DisplayMatrix.Orientation>
        package var maxSize: PixelSize

        package init(
            pixelFormats: [PixelFormat], deinterlaces: Bool, mapsTones: Bool = false,
            orientations: Set<DisplayMatrix.Orientation>, maxSize: PixelSize
        ) {
            self.pixelFormats = pixelFormats
            self.deinterlaces = deinterlaces
            self.mapsTones = mapsTones
            self.orientations = orientations
            self.maxSize = maxSize
        }
    }

    /// Why the device cannot do this; nil where it can.
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
        if configuration.custom != nil { return "libavfilter's filters are software's" }
        // What drivers make of a strength is not comparable, and differs from one to the next.
        if configuration.denoising != nil || configuration.sharpening != nil {
            return "software alone denoises and sharpens"
        }
        if configuration.deinterlacing == .everyField, configuration.frameRate != nil {
            return "software alone makes frames of fields at another rate"
        }
        if configuration.deinterlacing == .telecine { return "software alone undoes 3:2 pulldown" }
        if configuration.isDeinterlacing(source) && !deinterlaces { return "it does not deinterlace" }
        if let mapping = configuration.toneMapping, configuration.isToneMapping(source),
            let obstacle = obstacle(to: mapping, of: source)
        {
            return obstacle
        }
        if !orientations.contains(configuration.orientation) {
            return "it cannot turn pictures (\(configuration.orientation.rawValue))"
        }
        if !takes(source.pixelFormat) { return "it does not process \(source.pixelFormat)" }
        if !takes(configuration.pixelFormat) { return "it does not make \(configuration.pixelFormat)" }
        if configuration.sourceMatrix != nil { return "it is not trusted to convert the matrix of samples" }
        if source.color.isFullRange != nil, source.color.isFullRange != configuration.color.isFullRange {
            return "it is not trusted to convert the range of samples"
        }
        for size in [source.size, configuration.size] where size.width > maxSize.width || size.height > maxSize.height {
            return "it processes pictures up to \(maxSize), not \(size)"
        }
        return nil
    }

    private func obstacle(to mapping: ToneMapping, of source: FrameFormat) -> String? {
        let color = mapping.meaning(of: source.color)
        if !mapsTones { return "its driver makes no SDR of HDR" }
        if !color.isPQ { return "it makes SDR of PQ (HDR10) only, not of HLG" }
        if color.primaries != 9 || color.matrix != 9 { return "it makes SDR of BT.2020 only" }
        return source.pixelFormat.bitDepth == 10 ? nil : "it makes SDR of 10-bit samples only"
    }

    /// Samples may be rearranged on their way to a surface, not changed.
    private func takes(_ format: PixelFormat) -> Bool {
        pixelFormats.contains { $0.hasSamples(like: format) } && !format.isRGB
    }
}
