import CFFmpeg
import CVTXShims
package import VTXMedia

/// A video frame or a block of audio samples: a reference to reference-counted buffers, in memory or on a surface (C:
/// `AVFrame`).
///
/// Unchecked: a frame is passed on, never shared; a stage does not access a frame after passing it on.
package final class Frame: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVFrame>
    /// The time base of `pts` and `duration`.
    package private(set) var timeBase: Rational
    /// The known damage, set by a decoder.
    package internal(set) var damage = FrameDamage()
    /// The number of its packet; nil if the packet has none.
    package var packetNumber: Int?

    package init(timeBase: Rational) throws(FFmpegError) {
        pointer = try require(av_frame_alloc(), "av_frame_alloc")
        self.timeBase = timeBase
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }
}

extension Frame {
    package var pts: Int64? {
        get { timestamp(pointer.pointee.pts) }
        set { pointer.pointee.pts = rawTimestamp(newValue) }
    }

    /// The decoder's estimate from the packet's `pts` and `dts` (C: `best_effort_timestamp`).
    package var bestEffortTimestamp: Int64? { timestamp(pointer.pointee.best_effort_timestamp) }

    /// 0 if unknown.
    package var duration: Int64 {
        get { VTXFFmpeg.duration(vtx_frame_duration(pointer)) }
        set { vtx_frame_set_duration(pointer, newValue) }
    }

    package var presentationTime: MediaTime? { pts.map { MediaTime($0, timeBase) } }
    package var sampleCount: Int { Int(pointer.pointee.nb_samples) }
    package var sampleRate: Int { Int(pointer.pointee.sample_rate) }
    package var isInterlaced: Bool { vtx_frame_is_interlaced(pointer) != 0 }
    /// Whether the bottom field comes first.
    package var isBottomFieldFirst: Bool { vtx_frame_is_bottom_field_first(pointer) != 0 }

    /// Marks the frame as progressive after deinterlacing.
    package func declareProgressive() { vtx_frame_set_progressive(pointer) }

    /// Whether it was decoded from damaged data, or with missing references.
    package var isCorrupt: Bool {
        !damage.isEmpty || pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
            || pointer.pointee.decode_error_flags & FF_DECODE_ERROR_INVALID_BITSTREAM != 0
    }

    /// Converts the timestamps to another time base.
    package func rescale(to other: Rational) {
        pts = pts.map { MediaTime.rescale($0, from: timeBase, to: other) }
        duration = MediaTime.rescale(duration, from: timeBase, to: other)
        timeBase = other
    }

    /// Sets the time base without changing the timestamps.
    func declare(timeBase: Rational) { self.timeBase = timeBase }

    /// Resets the decoder's picture type, which would force the encoder's.
    package func setPictureType(isForcedKey: Bool) {
        pointer.pointee.pict_type = isForcedKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
    }

    /// libavutil's names of the side data types.
    package var sideDataKinds: [String] {
        (0..<Int(pointer.pointee.nb_side_data)).compactMap { index in
            pointer.pointee.side_data[index].flatMap {
                String(optional: av_frame_side_data_name($0.pointee.type))
            }
        }
    }

    func sideData(_ type: AVFrameSideDataType) -> UnsafePointer<UInt8>? {
        av_frame_get_side_data(pointer, type).flatMap { UnsafePointer($0.pointee.data) }
    }
}

extension Frame {
    /// Allocates a frame in memory with undefined contents. Rows are aligned to 64 bytes.
    package convenience init(size: PixelSize, pixelFormat: PixelFormat) throws(FFmpegError) {
        try self.init(empty: size, pixelFormat)
        try check(av_frame_get_buffer(pointer, 64), "av_frame_get_buffer")
    }

    /// Creates a frame without memory.
    convenience init(empty size: PixelSize, _ pixelFormat: PixelFormat) throws(FFmpegError) {
        try self.init(timeBase: Rational(1, 1))
        pointer.pointee.width = Int32(clamping: size.width)
        pointer.pointee.height = Int32(clamping: size.height)
        pointer.pointee.format = pixelFormat.avFormat.rawValue
    }

    /// Returns another reference to the same frame, with independent timestamps and properties (C: `av_frame_ref`).
    package func reference() throws(FFmpegError) -> Frame {
        let copy = try Frame(timeBase: timeBase)
        try check(av_frame_ref(copy.pointer, pointer), "av_frame_ref")
        return copy
    }

    package func setTimes(pts: Int64?, duration: Int64, timeBase: Rational) {
        (self.pts, self.duration) = (pts, duration)
        declare(timeBase: timeBase)
    }

    /// Crops the frame without copying (C: `av_frame_apply_cropping`).
    package func crop(x: Int, y: Int, to size: PixelSize) throws(FFmpegError) {
        let whole = self.size
        pointer.pointee.crop_left = max(0, x)
        pointer.pointee.crop_top = max(0, y)
        pointer.pointee.crop_right = max(0, whole.width - x - size.width)
        pointer.pointee.crop_bottom = max(0, whole.height - y - size.height)
        try check(av_frame_apply_cropping(pointer, Int32(AV_FRAME_CROP_UNALIGNED)), "av_frame_apply_cropping")
    }

    /// Returns the frame with its rows from top to bottom. `vflip` copies nothing, and returns frames with a negative
    /// stride.
    package func withRowsInOrder() throws(FFmpegError) -> Frame {
        guard !isOnSurface, (0..<planeCount).contains(where: { bytesPerRow($0) < 0 }) else { return self }
        let copy = try Frame(size: size, pixelFormat: pixelFormat)
        try check(av_frame_copy(copy.pointer, pointer), "av_frame_copy")
        try check(av_frame_copy_props(copy.pointer, pointer), "av_frame_copy_props")
        copy.declare(timeBase: timeBase)
        return copy
    }

    package var planeCount: Int { isOnSurface ? 0 : pixelFormat.layout(of: size).count }

    /// The stride of a plane, in bytes.
    package func bytesPerRow(_ plane: Int) -> Int { Int(pointer.lineSize(plane: plane)) }

    /// Calls `body` with the rows of a plane, including padding; empty for a plane that does not exist.
    package func withPlane<Result, Failure: Error>(
        _ plane: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: pointer.data(plane: plane), count: byteCount(plane)).bytes)
    }

    /// Calls `body` with the rows of a plane for writing. The frame must have no other references.
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

/// The dimensions of a plane: bytes per row, and rows.
package struct PlaneLayout: Sendable, Hashable {
    package var rowByteCount: Int
    package var rowCount: Int
}

extension PixelFormat {
    /// Returns the planes of a frame; empty for a format unknown to libavutil.
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
    /// Whether the frame is in video memory, where its planes cannot be read.
    package var isOnSurface: Bool { pointer.pointee.hw_frames_ctx != nil }

    /// The `VASurfaceID`; nil in memory. Valid as long as the frame exists.
    package var surfaceID: UInt32? {
        guard pointer.pointee.format == AV_PIX_FMT_VAAPI.rawValue else { return nil }
        return UInt32(truncatingIfNeeded: UInt(bitPattern: pointer.pointee.data.3))
    }

    /// The format of the surface's samples; nil in memory.
    var surfaceFormat: AVPixelFormat? {
        guard let frames = pointer.pointee.hw_frames_ctx?.pointee.data else { return nil }
        return UnsafeRawPointer(frames).assumingMemoryBound(to: AVHWFramesContext.self).pointee.sw_format
    }

    /// The origin of the frame on its surface. Decoders leave cropping on the left and at the top to the reader.
    package var cropOrigin: (x: Int, y: Int) {
        (Int(clamping: pointer.pointee.crop_left), Int(clamping: pointer.pointee.crop_top))
    }

    func clearCrop() {
        pointer.pointee.crop_left = 0
        pointer.pointee.crop_top = 0
        pointer.pointee.crop_right = 0
        pointer.pointee.crop_bottom = 0
    }

    /// Copies the frame from its surface to memory, cropped (C: `av_hwframe_transfer_data`).
    package func download() throws(FFmpegError) -> Frame {
        let frame = try Frame(timeBase: timeBase)
        try check(av_hwframe_transfer_data(frame.pointer, pointer, 0), "av_hwframe_transfer_data")
        try check(av_frame_copy_props(frame.pointer, pointer), "av_frame_copy_props")
        try check(av_frame_apply_cropping(frame.pointer, Int32(AV_FRAME_CROP_UNALIGNED)), "av_frame_apply_cropping")
        (frame.damage, frame.packetNumber) = (damage, packetNumber)
        return frame
    }
}
