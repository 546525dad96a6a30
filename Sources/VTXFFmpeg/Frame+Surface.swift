import CFFmpeg
import VTXMedia

extension Frame {
    /// True where the picture is in video memory, and the planes cannot be read.
    package var isOnSurface: Bool { pointer.pointee.hw_frames_ctx != nil }

    /// The `VASurfaceID`; nil in memory. It lives as long as the frame.
    package var surfaceID: UInt32? {
        guard isOnSurface else { return nil }
        return UInt32(truncatingIfNeeded: UInt(bitPattern: pointer.pointee.data.3))
    }

    /// What the surface's samples are; nil in memory.
    var surfaceFormat: AVPixelFormat? {
        guard let frames = pointer.pointee.hw_frames_ctx?.pointee.data else { return nil }
        return UnsafeRawPointer(frames).assumingMemoryBound(to: AVHWFramesContext.self).pointee.sw_format
    }

    /// Where the picture begins on its surface: decoders leave cropping at the left and the top to the reader.
    package var cropOrigin: (x: Int, y: Int) {
        (Int(clamping: pointer.pointee.crop_left), Int(clamping: pointer.pointee.crop_top))
    }

    func clearCrop() {
        pointer.pointee.crop_left = 0
        pointer.pointee.crop_top = 0
        pointer.pointee.crop_right = 0
        pointer.pointee.crop_bottom = 0
    }

    /// Copies the picture from its surface to memory, cropped (C: `av_hwframe_transfer_data`).
    package func download() throws(FFmpegError) -> Frame {
        let frame = try Frame(timeBase: timeBase)
        try check(av_hwframe_transfer_data(frame.pointer, pointer, 0), "av_hwframe_transfer_data")
        try check(av_frame_copy_props(frame.pointer, pointer), "av_frame_copy_props")
        try check(av_frame_apply_cropping(frame.pointer, Int32(AV_FRAME_CROP_UNALIGNED)), "av_frame_apply_cropping")
        return frame
    }
}
