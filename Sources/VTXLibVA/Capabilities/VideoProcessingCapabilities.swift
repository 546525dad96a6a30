package import VTXMedia

/// What the video processor does (`vaQueryVideoProcFilters`, `...FilterCaps`, `...PipelineCaps`).
///
/// Scaling and conversion between the surface formats are always there; va_vpp.h has no bit for them.
package struct VideoProcessingCapabilities: Sendable, Hashable {
    package var filters: [VideoProcFilter]
    /// Empty where there is no deinterlacing.
    package var deinterlacing: [DeinterlacingAlgorithm]
    /// For HDR10 metadata; some drivers say so and do nothing, which only a trial shows.
    package var toneMapping: ToneMappings
    package var rotations: Rotations
    package var mirrors: Mirrors
    package var blends: Blends
    /// Empty where the driver does not say; then the surface formats count.
    package var inputFormats: [FourCC]
    package var outputFormats: [FourCC]
    package var maxInputSize: PixelSize?
    package var maxOutputSize: PixelSize?

    package init(
        filters: [VideoProcFilter] = [], deinterlacing: [DeinterlacingAlgorithm] = [], toneMapping: ToneMappings = [],
        rotations: Rotations = [], mirrors: Mirrors = [], blends: Blends = [], inputFormats: [FourCC] = [],
        outputFormats: [FourCC] = [], maxInputSize: PixelSize? = nil, maxOutputSize: PixelSize? = nil
    ) {
        self.filters = filters
        self.deinterlacing = deinterlacing
        self.toneMapping = toneMapping
        self.rotations = rotations
        self.mirrors = mirrors
        self.blends = blends
        self.inputFormats = inputFormats
        self.outputFormats = outputFormats
        self.maxInputSize = maxInputSize
        self.maxOutputSize = maxOutputSize
    }
}
