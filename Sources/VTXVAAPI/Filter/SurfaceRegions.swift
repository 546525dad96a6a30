import VTXLibVA
import VTXMedia
import VTXSession

/// Which part of a surface goes where on another. Pure.
struct SurfaceRegions: Sendable, Hashable {
    var source: PixelRegion
    var target: PixelRegion

    /// - Parameter origin: where the picture begins on its surface.
    init(_ configuration: FilterConfiguration, _ shape: FrameFormat, origin: (x: Int, y: Int)) {
        let isTransposed = configuration.orientation.isTransposed
        let aspect = configuration.aspectRatio(of: shape)
        let geometry = ScaleGeometry(
            source: isTransposed ? shape.size.transposed : shape.size,
            sampleAspectRatio: isTransposed && aspect.isPositive ? aspect.reciprocal : aspect,
            frame: configuration.size, scaling: configuration.scaling, frameIsSquare: configuration.isSquare)
        // The processor cuts before it turns.
        let crop = isTransposed ? geometry.crop.transposed : geometry.crop
        source = PixelRegion(
            x: origin.x + (shape.size.width - crop.width) / 2 & ~1,
            y: origin.y + (shape.size.height - crop.height) / 2 & ~1, size: crop)
        target = PixelRegion(x: geometry.padding.x, y: geometry.padding.y, size: geometry.scaled)
    }
}
