import CFFmpeg
package import VTXMedia

extension Frame {
    /// A picture in memory that holds anything; rows begin at multiples of 64 bytes.
    package convenience init(size: PixelSize, pixelFormat: PixelFormat) throws(FFmpegError) {
        try self.init(empty: size, pixelFormat)
        try check(av_frame_get_buffer(pointer, 64), "av_frame_get_buffer")
    }

    /// A frame without memory.
    convenience init(empty size: PixelSize, _ pixelFormat: PixelFormat) throws(FFmpegError) {
        try self.init(timeBase: Rational(1, 1))
        pointer.pointee.width = Int32(clamping: size.width)
        pointer.pointee.height = Int32(clamping: size.height)
        pointer.pointee.format = pixelFormat.avFormat.rawValue
    }

    /// A second reference to the same picture, with times and properties of its own (C: `av_frame_ref`).
    package func reference() throws(FFmpegError) -> Frame {
        let copy = try Frame(timeBase: timeBase)
        try check(av_frame_ref(copy.pointer, pointer), "av_frame_ref")
        return copy
    }

    /// Says when the picture is shown.
    package func setTimes(pts: Int64?, duration: Int64, timeBase: Rational) {
        (self.pts, self.duration) = (pts, duration)
        declare(timeBase: timeBase)
    }

    /// Takes a part of the picture without touching a sample (C: `av_frame_apply_cropping`).
    package func crop(x: Int, y: Int, to size: PixelSize) throws(FFmpegError) {
        let whole = self.size
        pointer.pointee.crop_left = max(0, x)
        pointer.pointee.crop_top = max(0, y)
        pointer.pointee.crop_right = max(0, whole.width - x - size.width)
        pointer.pointee.crop_bottom = max(0, whole.height - y - size.height)
        try check(av_frame_apply_cropping(pointer, Int32(AV_FRAME_CROP_UNALIGNED)), "av_frame_apply_cropping")
    }

    package var planeCount: Int { isOnSurface ? 0 : pixelFormat.layout(of: size).count }

    /// From one row of a plane to the next.
    package func bytesPerRow(_ plane: Int) -> Int { Int(pointer.lineSize(plane: plane)) }

    /// The rows of a plane, with what lies between them; empty for a plane that there is not.
    package func withPlane<Result, Failure: Error>(
        _ plane: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: pointer.data(plane: plane), count: byteCount(plane)).bytes)
    }

    /// The same for writing. Nothing else may hold the picture.
    package func withMutablePlane<Result, Failure: Error>(
        _ plane: Int, _ body: (inout MutableRawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let buffer = UnsafeMutableRawBufferPointer(start: pointer.data(plane: plane), count: byteCount(plane))
        var span = buffer.mutableBytes
        return try body(&span)
    }

    private func byteCount(_ plane: Int) -> Int {
        let layout = isOnSurface ? [] : pixelFormat.layout(of: size)
        guard layout.indices.contains(plane), pointer.data(plane: plane) != nil else { return 0 }
        return bytesPerRow(plane) * (layout[plane].rowCount - 1) + layout[plane].rowByteCount
    }
}

/// How many bytes a plane's rows have, and how many rows there are.
package struct PlaneLayout: Sendable, Hashable {
    package var rowByteCount: Int
    package var rowCount: Int
}

extension PixelFormat {
    /// The planes of a picture; empty for a format that libavutil does not know.
    package func layout(of size: PixelSize) -> [PlaneLayout] {
        let format = avFormat
        guard let descriptor = av_pix_fmt_desc_get(format) else { return [] }
        return (0..<max(0, Int(av_pix_fmt_count_planes(format)))).map { plane in
            let shift = plane == 1 || plane == 2 ? Int(descriptor.pointee.log2_chroma_h) : 0
            return PlaneLayout(
                rowByteCount: Int(av_image_get_linesize(format, Int32(clamping: size.width), Int32(plane))),
                rowCount: (size.height + (1 << shift) - 1) >> shift)
        }
    }
}

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
