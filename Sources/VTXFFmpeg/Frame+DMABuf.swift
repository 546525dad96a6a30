import CFFmpeg
import Glibc
package import VTXMedia
import VTXSystem

extension Frame {
    /// Creates a frame in shared memory (C: `AV_PIX_FMT_DRM_PRIME`). It counts as a frame on a surface, without a GPU.
    ///
    /// - Parameters:
    ///   - layout: The layout, whose descriptors are duplicated.
    ///   - onRelease: Called on any thread when nothing refers to the memory any more.
    package convenience init(
        _ layout: DMABufLayout, size: PixelSize, pixelFormat: PixelFormat, onRelease: @escaping @Sendable () -> Void
    ) throws(FFmpegError) {
        try self.init(empty: size, pixelFormat)
        let memory = try DMABufMemory(layout, drmFormat: pixelFormat.drmFormat ?? 0)
        pointer.pointee.format = AV_PIX_FMT_DRM_PRIME.rawValue
        pointer.pointee.hw_frames_ctx = try DMABufMemory.makeContext(size, pixelFormat)
        pointer.pointee.buf.0 = try memory.makeBuffer()
        pointer.pointee.data.0 = UnsafeMutableRawPointer(memory.description).assumingMemoryBound(to: UInt8.self)
        // Not earlier: on failure, the memory remains the caller's.
        memory.onRelease = onRelease
    }

    /// The DMA-BUFs of the frame; nil for a frame in its own memory, or on a surface that has not been exported.
    package var dmaBuf: DMABufLayout? {
        guard pointer.pointee.format == AV_PIX_FMT_DRM_PRIME.rawValue, let data = pointer.pointee.data.0 else {
            return nil
        }
        return DMABufLayout(UnsafeRawPointer(data).assumingMemoryBound(to: AVDRMFrameDescriptor.self).pointee)
    }

    /// Exports the memory for others to read. The result retains the frame, and its descriptors stay open as long as it
    /// exists. When this returns, the GPU has finished working on the frame (C: `vaExportSurfaceHandle`).
    package func exportDMABuf() throws(FFmpegError) -> Frame {
        if dmaBuf != nil { return self }
        let shared = try Frame(timeBase: timeBase)
        shared.pointer.pointee.format = AV_PIX_FMT_DRM_PRIME.rawValue
        try check(av_hwframe_map(shared.pointer, pointer, Int32(AV_HWFRAME_MAP_READ)), "av_hwframe_map")
        return shared
    }
}

extension SurfacePool {
    /// Maps a frame in DMA-BUFs to a surface of the pool's GPU without copying (C: `vaCreateSurfaces`).
    package func map(_ picture: Frame) throws(FFmpegError) -> Frame {
        let frame = try Frame(timeBase: picture.timeBase)
        frame.pointer.pointee.format = AV_PIX_FMT_VAAPI.rawValue
        frame.pointer.pointee.hw_frames_ctx = try require(av_buffer_ref(reference), "av_buffer_ref")
        try check(av_hwframe_map(frame.pointer, picture.pointer, Int32(AV_HWFRAME_MAP_READ)), "av_hwframe_map")
        try check(av_frame_copy_props(frame.pointer, picture.pointer), "av_frame_copy_props")
        return frame
    }

    /// Returns a frame on a surface that others have created in the memory of a frame in DMA-BUFs.
    ///
    /// - Parameters:
    ///   - surface: The `VASurfaceID`.
    ///   - owner: Retained, like the picture, as long as the surface is used.
    package func frame(
        on surface: UInt32, ownedBy owner: AnyObject, in picture: Frame
    ) throws(FFmpegError) -> Frame {
        let frame = try Frame(timeBase: picture.timeBase)
        try check(av_frame_copy_props(frame.pointer, picture.pointer), "av_frame_copy_props")
        frame.pointer.pointee.format = AV_PIX_FMT_VAAPI.rawValue
        (frame.pointer.pointee.width, frame.pointer.pointee.height) = (Int32(size.width), Int32(size.height))
        frame.pointer.pointee.hw_frames_ctx = try require(av_buffer_ref(reference), "av_buffer_ref")
        let owners = Unmanaged.passRetained(SurfaceOwners([owner, picture]))
        let free: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?) -> Void = { owners, _ in
            if let owners { Unmanaged<SurfaceOwners>.fromOpaque(owners).release() }
        }
        let bytes = UnsafeMutablePointer<UInt8>(bitPattern: UInt(surface))
        guard let buffer = av_buffer_create(bytes, MemoryLayout<UInt32>.size, free, owners.toOpaque(), 0) else {
            owners.release()
            throw FFmpegError.outOfMemory("av_buffer_create")
        }
        (frame.pointer.pointee.buf.0, frame.pointer.pointee.data.3) = (buffer, bytes)
        return frame
    }
}

/// What a surface's memory belongs to.
private final class SurfaceOwners {
    private let owners: [AnyObject]
    init(_ owners: [AnyObject]) { self.owners = owners }
}

/// The memory of a frame in DMA-BUFs: duplicated descriptors, and the layout.
///
/// Unchecked: immutable once the frame exists, and libavutil releases it once.
private final class DMABufMemory: @unchecked Sendable {
    let description: UnsafeMutablePointer<AVDRMFrameDescriptor>
    var onRelease: @Sendable () -> Void = {}

    init(_ layout: DMABufLayout, drmFormat: UInt32) throws(FFmpegError) {
        description = .allocate(capacity: 1)
        description.initialize(to: AVDRMFrameDescriptor())
        description.pointee.add(layout.planes, drmFormat)
        for object in layout.objects {
            let file: FileDescriptor
            do throws(SystemError) { file = try FileDescriptor(duplicating: object.descriptor) } catch {
                throw FFmpegError("fcntl", -error.code)
            }
            let byteCount = FileDescriptor.mappableByteCount(of: file.number) ?? 0
            description.pointee.add(
                AVDRMObjectDescriptor(fd: file.release(), size: byteCount, format_modifier: object.modifier))
        }
    }

    deinit {
        for object in DMABufLayout(description.pointee).objects { close(object.descriptor) }
        description.deallocate()
        onRelease()
    }

    /// - Returns: a buffer that keeps this alive.
    func makeBuffer() throws(FFmpegError) -> UnsafeMutablePointer<AVBufferRef> {
        let owner = Unmanaged.passRetained(self)
        let bytes = UnsafeMutableRawPointer(description).assumingMemoryBound(to: UInt8.self)
        let free: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?) -> Void = { owner, _ in
            if let owner { Unmanaged<DMABufMemory>.fromOpaque(owner).release() }
        }
        let size = MemoryLayout<AVDRMFrameDescriptor>.size
        guard let buffer = av_buffer_create(bytes, size, free, owner.toOpaque(), Int32(AV_BUFFER_FLAG_READONLY)) else {
            owner.release()
            throw FFmpegError.outOfMemory("av_buffer_create")
        }
        return buffer
    }

    /// Creates libavutil's context for memory without a device, which reads and copies it.
    static func makeContext(
        _ size: PixelSize, _ format: PixelFormat
    ) throws(FFmpegError) -> UnsafeMutablePointer<AVBufferRef> {
        var device = try require(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_DRM), "av_hwdevice_ctx_alloc") as Optional
        defer { av_buffer_unref(&device) }
        try check(av_hwdevice_ctx_init(device), "av_hwdevice_ctx_init")
        var made = try require(av_hwframe_ctx_alloc(device), "av_hwframe_ctx_alloc") as Optional
        made?.withFrames { frames in
            frames.pointee.format = AV_PIX_FMT_DRM_PRIME
            frames.pointee.sw_format = format.avFormat
            (frames.pointee.width, frames.pointee.height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        }
        let status = av_hwframe_ctx_init(made)
        if status < 0 { av_buffer_unref(&made) }
        try check(status, "av_hwframe_ctx_init")
        return try require(made, "av_hwframe_ctx_alloc")
    }
}

extension UnsafeMutablePointer<AVBufferRef> {
    fileprivate func withFrames(_ body: (UnsafeMutablePointer<AVHWFramesContext>) -> Void) {
        body(UnsafeMutableRawPointer(pointee.data).assumingMemoryBound(to: AVHWFramesContext.self))
    }
}
