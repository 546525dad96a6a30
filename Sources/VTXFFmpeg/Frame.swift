import CFFmpeg
import CVTXShims
package import VTXMedia

/// A decoded picture or a run of samples: a reference to counted buffers, in memory or on a surface (C: `AVFrame`).
///
/// Unchecked: a frame is handed on, never shared; a stage that has passed one on does not touch it again.
package final class Frame: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVFrame>
    /// The unit of `pts` and `duration`.
    package private(set) var timeBase: Rational
    /// As far as it is known: a decoder sets it.
    package internal(set) var damage = FrameDamage()
    /// The number that its packet was given; nil where it was given none.
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

    /// The decoder's guess from both timestamps of the packet (C: `best_effort_timestamp`).
    package var bestEffortTimestamp: Int64? { timestamp(pointer.pointee.best_effort_timestamp) }

    /// 0 where it is not known.
    package var duration: Int64 {
        get { VTXFFmpeg.duration(vtx_frame_duration(pointer)) }
        set { vtx_frame_set_duration(pointer, newValue) }
    }

    package var presentationTime: MediaTime? { pts.map { MediaTime($0, timeBase) } }
    package var sampleCount: Int { Int(pointer.pointee.nb_samples) }
    package var sampleRate: Int { Int(pointer.pointee.sample_rate) }
    package var isInterlaced: Bool { vtx_frame_is_interlaced(pointer) != 0 }
    /// The lower field is the earlier one.
    package var isBottomFieldFirst: Bool { vtx_frame_is_bottom_field_first(pointer) != 0 }

    /// The two fields have become one picture.
    package func declareProgressive() { vtx_frame_set_progressive(pointer) }

    /// Decoded from damaged data, or with pictures that are missing.
    package var isCorrupt: Bool {
        !damage.isEmpty || pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
            || pointer.pointee.decode_error_flags & FF_DECODE_ERROR_INVALID_BITSTREAM != 0
    }

    /// Counts the times in another unit from now on.
    package func rescale(to other: Rational) {
        pts = pts.map { MediaTime.rescale($0, from: timeBase, to: other) }
        duration = MediaTime.rescale(duration, from: timeBase, to: other)
        timeBase = other
    }

    /// Says what unit the times are in, without changing them.
    func declare(timeBase: Rational) { self.timeBase = timeBase }

    /// The decoder's picture type would force the encoder's; this leaves the choice to the encoder.
    package func setPictureType(isForcedKey: Bool) {
        pointer.pointee.pict_type = isForcedKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
    }

    /// Extra data that comes with the samples, by libavutil's name of the kind.
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

    /// The same picture with its rows from the top to the bottom: `vflip` copies nothing, and gives rows whose distance is
    /// negative.
    package func withRowsInOrder() throws(FFmpegError) -> Frame {
        guard !isOnSurface, (0..<planeCount).contains(where: { bytesPerRow($0) < 0 }) else { return self }
        let copy = try Frame(size: size, pixelFormat: pixelFormat)
        try check(av_frame_copy(copy.pointer, pointer), "av_frame_copy")
        try check(av_frame_copy_props(copy.pointer, pointer), "av_frame_copy_props")
        copy.declare(timeBase: timeBase)
        return copy
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
        guard pointer.pointee.format == AV_PIX_FMT_VAAPI.rawValue else { return nil }
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
        (frame.damage, frame.packetNumber) = (damage, packetNumber)
        return frame
    }
}
