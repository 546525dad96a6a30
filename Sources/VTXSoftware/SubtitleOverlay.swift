import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSession

/// Burns bitmap subtitles into frames (libavfilter: `overlay`). Frames without any pass unchanged.
///
/// Unchecked: by contract, only one thread calls it at a time.
final class SubtitleOverlay: VideoFilter, @unchecked Sendable {
    private let subtitles: BitmapSubtitles
    private var reader: BitmapSubtitleReader?
    /// The graph that draws a cue, converted once, onto each of its frames.
    private var drawing: (cue: BitmapCue, shape: FrameFormat, graph: FilterGraph)?
    private var output: CodecOutput<Frame> = .needsInput

    init(_ subtitles: BitmapSubtitles) { self.subtitles = subtitles }

    func send(_ frame: Frame?) throws(SessionError) {
        do {
            guard let frame else { return output = .endOfStream }
            output = .unit(try draw(on: frame))
        } catch {
            throw SessionError(
                error, while: "burning in the subtitles of '\(subtitles.path)'", else: .unsupportedFormat)
        }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        defer { if case .unit = output { output = .needsInput } }
        return output
    }

    private func draw(on frame: Frame) throws(FFmpegError) -> Frame {
        guard let time = frame.presentationTime, let cue = try opened().cue(at: time + subtitles.offset) else {
            return frame
        }
        let (duration, color) = (frame.duration, frame.color)
        // Without a matrix, libavfilter would convert the bitmap to one of its own choice.
        if !frame.pixelFormat.isRGB { frame.color = color.filled(from: .presumed(of: frame.size)) }
        let graph = try graph(drawing: cue, on: frame, FrameFormat(frame))
        try graph.send(frame)
        guard case .unit(let drawn) = try graph.receive() else {
            throw FFmpegError("av_buffersink_get_frame", -EAGAIN)
        }
        drawn.rescale(to: time.timeBase)
        (drawn.duration, drawn.color) = (duration, color)
        return drawn
    }

    private func opened() throws(FFmpegError) -> BitmapSubtitleReader {
        if let reader { return reader }
        let opened = try BitmapSubtitleReader(path: subtitles.path, streamIndex: subtitles.streamIndex)
        reader = opened
        return opened
    }

    private func graph(
        drawing cue: BitmapCue, on frame: Frame, _ shape: FrameFormat
    ) throws(FFmpegError) -> FilterGraph {
        if let drawing, drawing.cue === cue, drawing.shape.accepts(shape) { return drawing.graph }
        let pictures = try cue.pictures.map { picture throws(FFmpegError) in
            let copy = try picture.frame.reference()
            copy.setTimes(pts: frame.pts, duration: 0, timeBase: frame.timeBase)
            return copy
        }
        let graph = try FilterGraph(
            videoLike: [frame] + pictures, chain: SubtitleOverlayChain.describe(cue, subtitles, on: shape))
        for (index, picture) in pictures.enumerated() {
            try graph.send(picture, to: index + 1)
            // At the end of its input, `overlay` repeats the last picture.
            try graph.send(nil, to: index + 1)
        }
        drawing = (cue, shape, graph)
        return graph
    }
}

/// The libavfilter filters that draw the pictures of a cue, which are the inputs after the first.
enum SubtitleOverlayChain {
    static func describe(_ cue: BitmapCue, _ subtitles: BitmapSubtitles, on shape: FrameFormat) -> String {
        let format = shape.pixelFormat.overlayFormat ?? "yuv420"
        let conversion = shape.overlayConversion
        let first = conversion.map { "[in0]\($0.filter),format=\($0.planar)[v0];" } ?? ""
        let parts = cue.pictures.enumerated().map { index, picture in
            let region = subtitles.placement.region(of: picture.region, on: cue.canvas, in: shape.size)
            let (number, size) = (index + 1, region.size)
            let scale = "scale=\(size.width):\(size.height):flags=bicubic\(colors(of: shape))"
            return "[in\(number)]format=rgba\(white(subtitles.whiteLevel)),\(scale)[p\(number)];"
                + "[\(index == 0 && conversion == nil ? "in0" : "v\(index)")][p\(number)]"
                + "overlay=x=\(region.x):y=\(region.y):format=\(format)[v\(number)];"
        }
        return first + parts.joined() + "[v\(cue.pictures.count)]" + (conversion.map { "\($0.filter)," } ?? "")
            + "format=\(shape.pixelFormat)"
    }

    private static func white(_ level: Double) -> String {
        level == 1 ? "" : "," + BitmapSubtitles.dimming(to: level)
    }

    private static func colors(of shape: FrameFormat) -> String {
        guard !shape.pixelFormat.isRGB else { return "" }
        let matrix = FilterChain.matrixNames[shape.color.matrix].map { ":out_color_matrix=\($0)" } ?? ""
        return "\(matrix):out_range=\(shape.overlayRange)"
    }
}
