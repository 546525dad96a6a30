import VTXFFmpeg
import VTXMedia
import VTXTask

/// What both pictures of a pair are brought to: the size and the samples of the original's first one.
struct ComparisonShape: Sendable, Hashable {
    var size: PixelSize
    var pixelFormat: PixelFormat
    var isFullRange: Bool

    /// - Parameter orientation: how the original is turned first.
    init(_ original: Frame, turned orientation: DisplayMatrix.Orientation) {
        size = orientation.isTransposed ? original.size.transposed : original.size
        pixelFormat = .planar(original.pixelFormat.chroma, bitDepth: original.pixelFormat.bitDepth)
        isFullRange = original.hasFullRange
    }
}

/// Brings the pictures of one file to a shape.
///
/// Unchecked: one thread at a time calls it.
final class PictureAlignment {
    let orientation: DisplayMatrix.Orientation
    private let shape: ComparisonShape
    private var graph: FilterGraph?
    /// What the graph is for; a stream may change it in the middle.
    private var format: FrameFormat?

    init(to shape: ComparisonShape, turning orientation: DisplayMatrix.Orientation) {
        (self.shape, self.orientation) = (shape, orientation)
    }

    /// nil where a filter keeps the picture.
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
    /// What is made of RGB has limited range.
    fileprivate var hasFullRange: Bool { !pixelFormat.isRGB && color.isFullRange == true }
}
