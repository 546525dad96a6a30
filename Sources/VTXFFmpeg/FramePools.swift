import CFFmpeg
import CVTXShims
package import VTXMedia

/// A pool of frames of one size and format in memory (C: `AVBufferPool`). It grows on demand and reuses released
/// frames.
///
/// Unchecked: immutable after `init`, and libavutil's pools are thread-safe.
package final class PicturePool: @unchecked Sendable {
    package let size: PixelSize
    package let pixelFormat: PixelFormat
    private let pool: OpaquePointer

    package init(size: PixelSize, pixelFormat: PixelFormat) throws(FFmpegError) {
        (self.size, self.pixelFormat) = (size, pixelFormat)
        let (format, width, height) = (pixelFormat.avFormat, Int32(clamping: size.width), Int32(clamping: size.height))
        let byteCount = try check(av_image_get_buffer_size(format, width, height, 64), "av_image_get_buffer_size")
        // Encoders read up to one vector past the end.
        guard let pool = av_buffer_pool_init(Int(byteCount) + 64, nil) else {
            throw FFmpegError.outOfMemory("av_buffer_pool_init")
        }
        self.pool = pool
    }

    deinit {
        var pool: OpaquePointer? = pool
        av_buffer_pool_uninit(&pool)
    }

    /// Returns a frame with undefined contents.
    package func makeFrame() throws(FFmpegError) -> Frame {
        let frame = try Frame(empty: size, pixelFormat)
        let buffer = try require(av_buffer_pool_get(pool), "av_buffer_pool_get")
        frame.pointer.pointee.buf.0 = buffer
        try check(
            withUnsafeMutablePointer(to: &frame.pointer.pointee.data) { data in
                data.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 8) { planes in
                    withUnsafeMutablePointer(to: &frame.pointer.pointee.linesize) { lines in
                        lines.withMemoryRebound(to: Int32.self, capacity: 8) {
                            av_image_fill_arrays(
                                planes, $0, buffer.pointee.data, pixelFormat.avFormat, Int32(size.width),
                                Int32(size.height), 64)
                        }
                    }
                }
            }, "av_image_fill_arrays")
        return frame
    }
}

/// A pool of surfaces of one size and format on a device (C: `AVHWFramesContext`). It grows on demand and reuses
/// released surfaces.
///
/// Unchecked: immutable after `init`, and libavutil's pools are thread-safe.
package final class SurfacePool: @unchecked Sendable {
    let reference: UnsafeMutablePointer<AVBufferRef>
    package let size: PixelSize
    package let pixelFormat: PixelFormat

    /// - Parameter pixelFormat: The format of the samples on the surface: `nv12`, `p010le`.
    package init(_ device: HardwareDevice, size: PixelSize, pixelFormat: PixelFormat) throws(FFmpegError) {
        (self.size, self.pixelFormat) = (size, pixelFormat)
        reference = try require(av_hwframe_ctx_alloc(device.reference), "av_hwframe_ctx_alloc")
        let frames = UnsafeMutableRawPointer(reference.pointee.data).assumingMemoryBound(to: AVHWFramesContext.self)
        frames.pointee.format = AV_PIX_FMT_VAAPI
        frames.pointee.sw_format = pixelFormat.avFormat
        frames.pointee.width = Int32(size.width)
        frames.pointee.height = Int32(size.height)
        try check(av_hwframe_ctx_init(reference), "av_hwframe_ctx_init")
    }

    deinit {
        var reference: UnsafeMutablePointer<AVBufferRef>? = reference
        av_buffer_unref(&reference)
    }

    /// Returns an empty surface with the timestamps and properties of another frame.
    package func makeFrame(like other: Frame) throws(FFmpegError) -> Frame {
        let frame = try Frame(timeBase: other.timeBase)
        try check(av_hwframe_get_buffer(reference, frame.pointer, 0), "av_hwframe_get_buffer")
        try check(av_frame_copy_props(frame.pointer, other.pointer), "av_frame_copy_props")
        frame.clearCrop()
        return frame
    }

    /// Copies a frame from memory to a surface. It must have the pool's size and pixel format.
    package func upload(_ picture: Frame) throws(FFmpegError) -> Frame {
        let frame = try makeFrame(like: picture)
        try check(av_hwframe_transfer_data(frame.pointer, picture.pointer, 0), "av_hwframe_transfer_data")
        return frame
    }
}

/// Chooses among the formats that a decoder offers (C: `AVCodecContext.get_format`): surfaces if possible, otherwise
/// libavcodec's choice. A GPU that rejects the stream is asked only once, and libavcodec's messages about it do not
/// count as damage.
func preferSurfaces(
    _ context: UnsafeMutablePointer<AVCodecContext>?, _ formats: UnsafePointer<AVPixelFormat>?
) -> AVPixelFormat {
    guard let context else { return avcodec_default_get_format(context, formats) }
    var next = formats
    while let format = next?.pointee, format != AV_PIX_FMT_NONE {
        if format == AV_PIX_FMT_VAAPI {
            makePool(for: context)
            return format
        }
        next = next?.advanced(by: 1)
    }
    PacketReports.forgive(context)
    return avcodec_default_get_format(context, formats)
}

/// Creates the pool of a decoder's surfaces (C: `AVHWFramesContext`). The pool grows on demand, as in FFmpeg 7.1;
/// earlier versions allocate as many surfaces as any stream may need. Its samples have the stream's bit depth:
/// libavcodec uses the driver's first format, and Mesa lists 8 bits for AV1 of any depth.
///
/// If the driver cannot decode the stream, no pool is created, and libavcodec fails in turn.
private func makePool(for context: UnsafeMutablePointer<AVCodecContext>) {
    var pool: UnsafeMutablePointer<AVBufferRef>?
    let device = context.pointee.hw_device_ctx
    guard avcodec_get_hw_frames_parameters(context, device, AV_PIX_FMT_VAAPI, &pool) >= 0, let made = pool
    else { return }
    let frames = UnsafeMutableRawPointer(made.pointee.data).assumingMemoryBound(to: AVHWFramesContext.self)
    if context.pointee.sw_pix_fmt.bitDepth == 10, frames.pointee.sw_format == AV_PIX_FMT_NV12 {
        vtx_vaapi_set_format(made, AV_PIX_FMT_P010LE)
    }
    frames.pointee.initial_pool_size = 0
    let status = av_hwframe_ctx_init(made)
    guard status >= 0 else {
        PacketReports.noteShortage(status, in: context)
        return av_buffer_unref(&pool)
    }
    context.pointee.hw_frames_ctx = made
}

extension AVPixelFormat {
    fileprivate var bitDepth: Int32 { av_pix_fmt_desc_get(self)?.pointee.comp.0.depth ?? 0 }
}

/// A GPU for libavutil (C: `AVHWDeviceContext`), on a VA display that is already open.
///
/// Unchecked: immutable after `init`, and libavutil's reference counts are thread-safe.
package final class HardwareDevice: @unchecked Sendable {
    let reference: UnsafeMutablePointer<AVBufferRef>

    /// - Parameters:
    ///   - vaDisplay: A `VADisplay`.
    ///   - owner: The object that keeps the display open. It is retained until the last surface of the device is
    ///     released, possibly long after this object.
    package init(vaDisplay: UnsafeMutableRawPointer, ownedBy owner: AnyObject) throws(FFmpegError) {
        var device: UnsafeMutablePointer<AVBufferRef>?
        let status = vtx_vaapi_device(&device, vaDisplay, Unmanaged.passRetained(owner).toOpaque()) { owner in
            if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() }
        }
        try check(status, "av_hwdevice_ctx_init")
        reference = try require(device, "av_hwdevice_ctx_alloc")
    }

    deinit {
        var reference: UnsafeMutablePointer<AVBufferRef>? = reference
        av_buffer_unref(&reference)
    }
}
