import VTXFFmpeg
import VTXMedia
import VTXSession

/// Memory to surfaces, in a layout that the driver lists. Samples keep their range and their depth; what changes is
/// only where they lie. Frames that are on a surface pass.
///
/// Unchecked: it belongs to one filter or encoder, and so to one thread at a time.
final class SurfaceUpload: @unchecked Sendable {
    private let device: HardwareDevice
    private let formats: [PixelFormat]
    private var pool: SurfacePool?
    /// Rearranges the samples of frames of this shape; no graph where they lie right.
    private var arrangement: (shape: FrameShape, graph: FilterGraph?)?

    init(to device: HardwareDevice, formats: [PixelFormat]) {
        self.device = device
        self.formats = formats
    }

    func surface(for frame: Frame) throws(SessionError) -> Frame {
        if frame.isOnSurface { return frame }
        let source = frame.pixelFormat
        guard let format = formats.first(where: { $0.hasSamples(like: source) })
        else {
            let listed = formats.map(\.name).joined(separator: ", ")
            throw SessionError(.unsupportedFormat, "the GPU takes no \(source), only \(listed)")
        }
        do {
            let arranged = try arrange(frame, as: format)
            return try pool(for: arranged.size, format).upload(arranged)
        } catch {
            throw SessionError(error, while: "copying a picture to the GPU", else: .hardwareMalfunction)
        }
    }

    private func pool(for size: PixelSize, _ format: PixelFormat) throws(FFmpegError) -> SurfacePool {
        if let pool, pool.size == size, pool.pixelFormat == format { return pool }
        let made = try SurfacePool(device, size: size, pixelFormat: format)
        pool = made
        return made
    }

    private func arrange(_ frame: Frame, as format: PixelFormat) throws(FFmpegError) -> Frame {
        let shape = FrameShape(frame)
        if arrangement?.shape != shape {
            arrangement = (shape, try graph(for: frame, as: format))
        }
        guard let graph = arrangement?.graph else { return frame }
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

    private func graph(for frame: Frame, as format: PixelFormat) throws(FFmpegError) -> FilterGraph? {
        guard frame.pixelFormat.name != format.name else { return nil }
        // Said on both sides, or swscale guesses, and converts.
        let range = frame.color.isFullRange == true ? "pc" : "tv"
        return try FilterGraph(
            videoLike: frame, frameRate: Rational(0, 1),
            chain: "scale=in_range=\(range):out_range=\(range),format=\(format.name)")
    }
}
