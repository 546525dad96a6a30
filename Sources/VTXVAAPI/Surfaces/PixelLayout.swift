import VTXFFmpeg
import VTXMedia
import VTXSession

/// Puts the samples of frames in memory into another order, `yuv420p` into `nv12` or back. They keep their range and
/// their depth.
struct PixelLayout {
    /// What does it for frames of this shape; no graph where they lie right.
    private var last: (shape: FrameFormat, format: PixelFormat, graph: FilterGraph?)?

    mutating func arrange(_ frame: Frame, as format: PixelFormat) throws(FFmpegError) -> Frame {
        let shape = FrameFormat(frame)
        if last?.shape != shape || last?.format != format {
            last = (shape, format, try Self.graph(for: frame, as: format))
        }
        guard let graph = last?.graph else { return frame }
        let (timeBase, duration, color) = (frame.timeBase, frame.duration, frame.color)
        try graph.send(frame)
        guard case .unit(let arranged) = try graph.receive() else {
            throw FFmpegError("av_buffersink_get_frame", -1)
        }
        arranged.rescale(to: timeBase)
        arranged.duration = duration
        // swscale says a range where the frame said none.
        arranged.color = color
        return arranged
    }

    private static func graph(for frame: Frame, as format: PixelFormat) throws(FFmpegError) -> FilterGraph? {
        guard frame.pixelFormat.name != format.name else { return nil }
        // Said on both sides, or swscale guesses, and converts.
        let range = frame.color.isFullRange == true ? "pc" : "tv"
        return try FilterGraph(
            videoLike: frame, frameRate: Rational(0, 1),
            chain: "scale=in_range=\(range):out_range=\(range),format=\(format.name)")
    }
}
