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

/// Converts frames of any size and format to one size and format: on the device if it can, otherwise in software.
///
/// Unchecked: it is confined to the queue of one session.
final class PixelTransfer: @unchecked Sendable {
    private let device: any DeviceSession
    private let software: any DeviceSession
    private let target: FilterConfiguration
    private var built: (shape: FrameFormat, isOnSurface: Bool, filter: any VideoFilter)?

    init(device: any DeviceSession, software: any DeviceSession, target: FilterConfiguration) {
        self.device = device
        self.software = software
        self.target = target
    }

    func fit(_ frame: Frame) throws(SessionError) -> Frame {
        let shape = FrameFormat(frame)
        if let built, built.shape == shape, built.isOnSurface == frame.isOnSurface {
            return try built.filter.apply(to: frame)
        }
        let filter = try makeFilter(from: shape, isOnSurface: frame.isOnSurface)
        built = (shape, frame.isOnSurface, filter)
        return try filter.apply(to: frame)
    }

    private func makeFilter(from shape: FrameFormat, isOnSurface: Bool) throws(SessionError) -> any VideoFilter {
        let source = isOnSurface ? device : software
        guard device.capabilities.filtering.obstacle(to: target, from: shape) == nil else {
            return try software.makeFilter(target, from: source, to: device)
        }
        do { return try device.makeFilter(target, from: source, to: device) } catch {
            // The device says that it can, and cannot: it is not what it was, and the next one is tried.
            guard device.capabilities.isHardware, error.code != .allocationFailed else { throw error }
            throw SessionError(.hardwareMalfunction, error.message)
        }
    }
}
