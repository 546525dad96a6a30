import VTXFFmpeg
import VTXMedia
import VTXTask

/// The common format of both frames of a pair: size and samples of the original's first frame.
struct ComparisonShape: Sendable, Hashable {
    var size: PixelSize
    var pixelFormat: PixelFormat
    var isFullRange: Bool

    /// - Parameter orientation: The rotation applied to the original first.
    init(_ original: Frame, turned orientation: DisplayMatrix.Orientation) {
        size = orientation.isTransposed ? original.size.transposed : original.size
        pixelFormat = .planar(original.pixelFormat.chroma, bitDepth: original.pixelFormat.bitDepth)
        isFullRange = original.hasFullRange
    }
}

/// Converts the frames of one file to a common format.
///
/// Unchecked: called by one thread at a time.
final class PictureAlignment {
    let orientation: DisplayMatrix.Orientation
    private let shape: ComparisonShape
    private var graph: FilterGraph?
    /// The input format of the graph. A stream may change it.
    private var format: FrameFormat?

    init(to shape: ComparisonShape, turning orientation: DisplayMatrix.Orientation) {
        (self.shape, self.orientation) = (shape, orientation)
    }

    /// nil if a filter holds the frame back.
    func align(_ frame: Frame) throws(FFmpegError) -> Frame? {
        let chain = chain(for: frame)
        guard !chain.isEmpty else { return frame }
        let found = FrameFormat(frame)
        if format != found {
            graph = try FilterGraph(
                videoLike: frame, frameRate: Rational(0, 1), chain: chain.joined(separator: ","))
            format = found
        }
        try graph?.send(frame)
        guard case .unit(let aligned)? = try graph?.receive() else { return nil }
        return aligned
    }

    private func chain(for frame: Frame) -> [String] {
        let size = orientation.isTransposed ? frame.size.transposed : frame.size
        let isAlike =
            size == shape.size && frame.pixelFormat == shape.pixelFormat && frame.hasFullRange == shape.isFullRange
        guard !isAlike else { return orientation.filters }
        let ranges =
            (frame.pixelFormat.isRGB ? "" : ":in_range=\(name(frame.hasFullRange))")
            + ":out_range=\(name(shape.isFullRange))"
        let scale = "scale=\(shape.size.width):\(shape.size.height):flags=bicubic\(ranges)"
        return orientation.filters + [scale, "format=\(shape.pixelFormat.name)"]
    }

    private func name(_ isFull: Bool) -> String { isFull ? "pc" : "tv" }
}

extension Frame {
    /// Whether samples have full range. Those converted from RGB have limited range.
    fileprivate var hasFullRange: Bool { !pixelFormat.isRGB && color.isFullRange == true }
}
