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
