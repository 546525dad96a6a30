import CFFmpeg
import CVTXShims
package import VTXMedia

/// Pictures of one size and format in memory that is used again (C: `AVBufferPool`). It grows as pictures are taken;
/// one that is released comes back.
///
/// Unchecked: nothing changes it after `init`, and libavutil's pools lock.
package final class PicturePool: @unchecked Sendable {
    package let size: PixelSize
    package let pixelFormat: PixelFormat
    private let pool: OpaquePointer

    package init(size: PixelSize, pixelFormat: PixelFormat) throws(FFmpegError) {
        (self.size, self.pixelFormat) = (size, pixelFormat)
        let (format, width, height) = (pixelFormat.avFormat, Int32(clamping: size.width), Int32(clamping: size.height))
        let byteCount = try check(av_image_get_buffer_size(format, width, height, 64), "av_image_get_buffer_size")
        // Encoders read a vector beyond the end.
        guard let pool = av_buffer_pool_init(Int(byteCount) + 64, nil) else {
            throw FFmpegError.outOfMemory("av_buffer_pool_init")
        }
        self.pool = pool
    }

    deinit {
        var pool: OpaquePointer? = pool
        av_buffer_pool_uninit(&pool)
    }

    /// A picture that holds anything.
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

/// Surfaces of one size and format on a device (C: `AVHWFramesContext`). It grows as frames are taken, and a frame
/// that is released comes back to it.
///
/// Unchecked: nothing changes it after `init`, and libavutil's pools lock.
package final class SurfacePool: @unchecked Sendable {
    let reference: UnsafeMutablePointer<AVBufferRef>
    package let size: PixelSize
    package let pixelFormat: PixelFormat

    /// - Parameter pixelFormat: of the samples on the surface: `nv12`, `p010le`.
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

    /// An empty surface with the times and properties of another frame.
    package func makeFrame(like other: Frame) throws(FFmpegError) -> Frame {
        let frame = try Frame(timeBase: other.timeBase)
        try check(av_hwframe_get_buffer(reference, frame.pointer, 0), "av_hwframe_get_buffer")
        try check(av_frame_copy_props(frame.pointer, other.pointer), "av_frame_copy_props")
        frame.clearCrop()
        return frame
    }

    /// Copies a picture from memory to a surface. It must have the pool's size and pixel format.
    package func upload(_ picture: Frame) throws(FFmpegError) -> Frame {
        let frame = try makeFrame(like: picture)
        try check(av_hwframe_transfer_data(frame.pointer, picture.pointer, 0), "av_hwframe_transfer_data")
        return frame
    }
}

/// Chooses among the formats that a decoder offers (C: `AVCodecContext.get_format`): surfaces, else libavcodec's
/// choice. A GPU that turns the stream down is asked once; what libavcodec says about that is no damage.
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

/// Makes the surfaces that a decoder's frames lie on (C: `AVHWFramesContext`). The pool grows as frames are taken, as
/// those of FFmpeg 7.1 do; before, libavcodec allocates as many surfaces at once as any stream may need. And its
/// samples are as deep as the stream's: libavcodec takes the driver's word, and Mesa lists 8 bits for AV1 of any depth.
///
/// Where the driver does not decode the stream, nothing is made, and libavcodec finds that out again.
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

/// A GPU as libavutil knows it (C: `AVHWDeviceContext`), on a VA display that is already open.
///
/// Unchecked: nothing changes it after `init`, and libavutil counts the references under a lock.
package final class HardwareDevice: @unchecked Sendable {
    let reference: UnsafeMutablePointer<AVBufferRef>

    /// - Parameters:
    ///   - vaDisplay: a `VADisplay`.
    ///   - owner: what keeps the display open; it is held until the last surface of the device is gone, which may be
    ///     long after this object.
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
