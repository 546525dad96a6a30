package import VTXMedia

/// What a device does with pictures between decoder and encoder.
package enum FilterCapability: Sendable, Hashable {
    /// All that a `FilterConfiguration` can ask for.
    case everything
    /// Frames pass as they are, or not at all.
    case nothing
    case some(VideoProcessing)

    package struct VideoProcessing: Sendable, Hashable {
        /// In which samples lie on surfaces.
        package var pixelFormats: [PixelFormat]
        package var deinterlaces: Bool
        package var orientations: Set<DisplayMatrix.Orientation>
        package var maxSize: PixelSize

        package init(
            pixelFormats: [PixelFormat], deinterlaces: Bool, orientations: Set<DisplayMatrix.Orientation>,
            maxSize: PixelSize
        ) {
            self.pixelFormats = pixelFormats
            self.deinterlaces = deinterlaces
            self.orientations = orientations
            self.maxSize = maxSize
        }
    }

    /// Why the device cannot do this; nil where it can.
    package func obstacle(to configuration: FilterConfiguration, from source: FrameShape) -> String? {
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
    fileprivate func obstacle(to configuration: FilterConfiguration, from source: FrameShape) -> String? {
        if configuration.isDeinterlacing(source) && !deinterlaces { return "it does not deinterlace" }
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

    /// Samples may be rearranged on their way to a surface, not changed.
    private func takes(_ format: PixelFormat) -> Bool {
        pixelFormats.contains { $0.hasSamples(like: format) } && !format.isRGB
    }
}
