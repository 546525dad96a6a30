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
