import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

/// Draws frames on surfaces that they do not fill, and keeps the rest black: the bars of a letterbox.
///
/// Drivers cannot be relied on for the rest: they paint it green, or leave the surface's previous contents. So they
/// only scale into a region. A black frame covers a whole surface before its first frame, and the bars remain until the
/// region changes. The first frame of each region is checked. If a driver has painted over the bars, the black frame
/// and the picture are composed in a single pass for every frame from then on, which takes longer.
struct LetterboxBars {
    private let processor: VideoProcessor
    private let black: Frame
    private let blackSurface: UInt32
    private let isFullRange: Bool
    /// The region of a surface that is not black.
    private var pictures: [UInt32: PixelRegion] = [:]
    private var proven: PixelRegion?
    private var composes = false

    /// The maximum deviation of a sample, in 8 bits.
    private static let tolerance = 8

    /// - Parameter pool: The pool of the targets.
    init(_ processor: VideoProcessor, _ pool: SurfacePool, isFullRange: Bool) throws(FFmpegError) {
        self.processor = processor
        self.isFullRange = isFullRange
        black = try pool.upload(try Frame(black: pool.size, pool.pixelFormat, isFullRange: isFullRange))
        guard let surface = black.surfaceID else { throw FFmpegError("av_hwframe_get_buffer", -1) }
        blackSurface = surface
    }

    /// - Throws: `SessionError` if the bars are not black.
    mutating func process(_ pass: ProcessingPass, onto target: Frame) throws {
        try paint(pass, target.size)
        guard proven != pass.targetRegion else { return }
        if try !hasBlackBars(target, around: pass.targetRegion), !composes {
            composes = true
            try paint(pass, target.size)
            guard try hasBlackBars(target, around: pass.targetRegion) else {
                throw SessionError(.unsupportedFormat, "its driver does not leave the bars around a picture black")
            }
        }
        proven = pass.targetRegion
    }

    private mutating func paint(_ pass: ProcessingPass, _ size: PixelSize) throws(VAError) {
        let whole = PixelRegion(size: size)
        var blackening = ProcessingPass(source: blackSurface, whole, target: pass.target, whole)
        blackening.colorStandard = pass.colorStandard
        blackening.isFullRange = pass.isFullRange
        let hasBars = pass.targetRegion != whole
        if composes, hasBars { return try processor.process([blackening, pass]) }
        if hasBars, pictures[pass.target] != pass.targetRegion { try processor.process([blackening]) }
        pictures[pass.target] = pass.targetRegion
        try processor.process([pass])
    }

    private func hasBlackBars(_ target: Frame, around region: PixelRegion) throws(FFmpegError) -> Bool {
        let wanted = [isFullRange ? 0 : 16, 128, 128]
        let frame = try target.download()
        for bar in region.bars(in: target.size) {
            let part = try frame.reference()
            try part.crop(x: bar.x, y: bar.y, to: bar.size)
            for (component, value) in wanted.enumerated() {
                let means = part.blockMeans(of: component, grid: PixelSize(16, 16))
                guard means.allSatisfy({ abs(Int($0) - value) <= Self.tolerance }) else { return false }
            }
        }
        return true
    }
}

extension PixelRegion {
    /// Returns the areas above, below, left and right of the region.
    fileprivate func bars(in whole: PixelSize) -> [PixelRegion] {
        let (right, bottom) = (x + size.width, y + size.height)
        return [
            PixelRegion(size: PixelSize(whole.width, y)),
            PixelRegion(y: bottom, size: PixelSize(whole.width, whole.height - bottom)),
            PixelRegion(size: PixelSize(x, whole.height)),
            PixelRegion(x: right, size: PixelSize(whole.width - right, whole.height)),
        ].filter { min($0.size.width, $0.size.height) > 0 }
    }
}

extension Frame {
    /// Creates a black frame in memory, as NV12 or P010.
    fileprivate convenience init(
        black size: PixelSize, _ pixelFormat: PixelFormat, isFullRange: Bool
    ) throws(FFmpegError) {
        try self.init(size: size, pixelFormat: pixelFormat)
        for (plane, value) in [isFullRange ? 0 : 16, 128].enumerated() {
            withMutablePlane(plane) { bytes in
                for offset in 0..<bytes.byteCount {
                    // The upper of two bytes is the sample, the lower one is 0.
                    let isSample = pixelFormat.bitDepth == 8 || offset % 2 == 1
                    bytes.storeBytes(of: isSample ? UInt8(value) : 0, toByteOffset: offset, as: UInt8.self)
                }
            }
        }
    }
}

/// The source region and its region on the target. Pure.
struct SurfaceRegions: Sendable, Hashable {
    var source: PixelRegion
    var target: PixelRegion

    /// - Parameter origin: Where the frame begins on its surface.
    init(_ configuration: FilterConfiguration, _ shape: FrameFormat, origin: (x: Int, y: Int)) {
        let isTransposed = configuration.orientation.isTransposed
        let aspect = configuration.aspectRatio(of: shape)
        let kept = configuration.kept(of: shape.size)
        let geometry = ScaleGeometry(
            source: isTransposed ? kept.size.transposed : kept.size,
            sampleAspectRatio: isTransposed && aspect.isPositive ? aspect.reciprocal : aspect,
            frame: configuration.size, scaling: configuration.scaling, frameIsSquare: configuration.isSquare)
        // The processor crops before it rotates.
        let crop = isTransposed ? geometry.crop.transposed : geometry.crop
        source = PixelRegion(
            x: origin.x + kept.x + (kept.size.width - crop.width) / 2 & ~1,
            y: origin.y + kept.y + (kept.size.height - crop.height) / 2 & ~1, size: crop)
        target = PixelRegion(x: geometry.padding.x, y: geometry.padding.y, size: geometry.scaled)
    }
}
