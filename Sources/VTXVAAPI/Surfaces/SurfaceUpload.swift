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
