import VTXFFmpeg
public import VTXMedia
import VTXSession
import VTXSystem

/// A pool of pixel buffers of one size and format, which reuses their memory (CoreVideo: `CVPixelBufferPool`).
///
/// Unchecked: the lock lets one thread at a time call the upload.
public final class PixelBufferPool: @unchecked Sendable {
    public var size: PixelSize { pool.size }
    public var format: PixelFormat { pool.pixelFormat }
    private let pool: PicturePool
    private let upload: Locked<(any VideoFilter, SurfaceOrigin)?>

    /// Creates a pool in memory.
    ///
    /// - Parameters:
    ///   - size: The size of the buffers, in pixels; each side from 1 to 16384.
    ///   - format: One of ``PixelBuffer/formats``.
    /// - Throws: ``SessionError``: `badParameter`, `unsupportedFormat`, `allocationFailed`.
    public convenience init(size: PixelSize, format: PixelFormat) throws(SessionError) {
        try self.init(size: size, format: format, upload: nil)
    }

    init(
        size: PixelSize, format: PixelFormat, upload: sending (any VideoFilter, SurfaceOrigin)?
    ) throws(SessionError) {
        try PixelBuffer.check(size, format)
        do { pool = try PicturePool(size: size, pixelFormat: format) } catch {
            throw SessionError(error, while: "making a pool of \(size)", else: .allocationFailed)
        }
        self.upload = Locked(upload)
    }

    /// Creates a pixel buffer. Its memory is that of a released buffer, or new. In the pool of a session on a GPU, the
    /// buffer has been uploaded to a surface when this returns.
    ///
    /// - Parameters: See ``PixelBuffer/init(size:format:color:fill:)``.
    /// - Throws: ``SessionError``: `badParameter`, `allocationFailed`, `hardwareMalfunction`.
    public func makeBuffer(
        color: ColorDescription = .unspecified,
        fill: (_ plane: Int, _ bytes: inout MutableRawSpan, _ bytesPerRow: Int) -> Void
    ) throws(SessionError) -> PixelBuffer {
        try color.check()
        let frame: Frame
        do { frame = try pool.makeFrame() } catch {
            throw SessionError(error, while: "making a picture of \(size)", else: .allocationFailed)
        }
        frame.color = color
        frame.fill(fill)
        return try upload.withLock { upload throws(SessionError) in
            guard let (filter, place) = upload else { return PixelBuffer(frame) }
            return PixelBuffer(try filter.apply(to: frame), at: place)
        }
    }
}
