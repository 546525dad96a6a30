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
    private var arrangement = PixelLayout()

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
            let arranged = try arrangement.arrange(frame, as: format)
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
}

/// Memory to surfaces.
final class VAAPIUpload: VideoFilter {
    private let sequence = FilterSequence([])
    private let upload: SurfaceUpload

    init(_ upload: SurfaceUpload) { self.upload = upload }

    func send(_ frame: Frame?) throws(SessionError) {
        if let frame { try sequence.send(try upload.surface(for: frame)) } else { try sequence.send(nil) }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try sequence.receive() }
}

/// Surfaces to memory.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class VAAPIDownload: VideoFilter, @unchecked Sendable {
    private let sequence = FilterSequence([])
    private let format: PixelFormat?
    private var arrangement = PixelLayout()

    init(as format: PixelFormat?) { self.format = format }

    func send(_ frame: Frame?) throws(SessionError) {
        guard let frame, frame.isOnSurface else { return try sequence.send(frame) }
        let picture: Frame
        do {
            let copy = try frame.download()
            picture = if let format { try arrangement.arrange(copy, as: format) } else { copy }
        } catch {
            throw SessionError(error, while: "copying a picture from the GPU", else: .hardwareMalfunction)
        }
        try sequence.send(picture)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try sequence.receive() }
}
