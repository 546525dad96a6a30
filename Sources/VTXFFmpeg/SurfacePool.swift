import CFFmpeg
package import VTXMedia

/// Surfaces of one size and format on a device (C: `AVHWFramesContext`). It grows as frames are taken, and a frame
/// that is let go comes back to it.
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
