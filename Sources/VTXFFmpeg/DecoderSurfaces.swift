import CFFmpeg
import CVTXShims

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
