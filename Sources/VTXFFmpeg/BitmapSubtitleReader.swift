import CFFmpeg
import CVTXShims
package import VTXMedia

/// The bitmaps that are shown from one time to another.
///
/// Unchecked: nothing changes it.
package final class BitmapCue: @unchecked Sendable {
    package struct Picture: Sendable {
        package let region: PixelRegion
        /// In palette colors with alpha.
        package let frame: Frame
    }

    /// Empty where the screen is cleared.
    package let pictures: [Picture]
    /// The size of the screen on which they are placed; 0x0 if unknown.
    package let canvas: PixelSize
    /// In microseconds.
    let start: Int64
    /// In microseconds; nil until the next cue.
    let end: Int64?

    init(_ pictures: [Picture], on canvas: PixelSize, from start: Int64, to end: Int64?) {
        (self.pictures, self.canvas, self.start, self.end) = (pictures, canvas, start, end)
    }
}

/// Reads the bitmap subtitles of a file as its frames need them (C: `avcodec_decode_subtitle2`).
///
/// Unchecked: one thread at a time calls it.
package final class BitmapSubtitleReader: @unchecked Sendable {
    private let path: String
    private var demuxer: Demuxer
    private let decoder: CodecContext
    private let streamIndex: Int
    private var current: BitmapCue?
    private var next: BitmapCue?
    private var isAtEnd = false
    private var hasBegun = false

    /// A cue that is shown began at most this long before. Only signs stay longer, not speech.
    private static let longestCue: Int64 = 60_000_000
    /// Two roundings to a microsecond.
    private static let tolerance: Int64 = 2

    package init(path: String, streamIndex: Int) throws(FFmpegError) {
        self.path = path
        demuxer = try Self.open(path, streamIndex)
        guard demuxer.streams.indices.contains(streamIndex) else {
            throw FFmpegError("avformat_find_stream_info", vtx_error_invalid_data)
        }
        self.streamIndex = streamIndex
        decoder = try CodecContext(decoding: demuxer.streams[streamIndex])
        try decoder.open()
    }

    private static func open(_ path: String, _ streamIndex: Int) throws(FFmpegError) -> Demuxer {
        let demuxer = try Demuxer(path: path)
        demuxer.keepOnly([streamIndex])
        return demuxer
    }

    /// Returns the cue that is shown at a time; nil for none. The times must ascend.
    package func cue(at time: MediaTime) throws(FFmpegError) -> BitmapCue? {
        let time = time.rescaled(to: MediaTime.microseconds).ticks + Self.tolerance
        try begin(before: time)
        while let cue = try following(), cue.start <= time { (current, next) = (cue, nil) }
        guard let current, !current.pictures.isEmpty, current.end.map({ time < $0 }) ?? true else { return nil }
        return current
    }

    private func begin(before time: Int64) throws(FFmpegError) {
        guard !hasBegun else { return }
        hasBegun = true
        let first = demuxer.startTime?.ticks ?? 0
        guard time - Self.longestCue > first else { return }
        do { try demuxer.seek(to: MediaTime(time - Self.longestCue, MediaTime.microseconds)) } catch {
            // A failed seek leaves the demuxer anywhere; the file is read from its start.
            demuxer = try Self.open(path, streamIndex)
        }
    }

    /// The first cue that is not yet shown.
    private func following() throws(FFmpegError) -> BitmapCue? {
        while next == nil, !isAtEnd {
            guard let packet = try demuxer.read() else {
                isAtEnd = true
                break
            }
            if packet.streamIndex == streamIndex { next = decode(packet) }
        }
        return next
    }

    /// - Returns: nil if the cue is incomplete or damaged; one is not worth the video.
    private func decode(_ packet: Packet) -> BitmapCue? {
        var subtitle = AVSubtitle()
        var isComplete: Int32 = 0
        let status = avcodec_decode_subtitle2(decoder.pointer, &subtitle, &isComplete, packet.pointer)
        guard status >= 0, isComplete != 0 else { return nil }
        defer { avsubtitle_free(&subtitle) }
        // If each segment is a packet, the decoder knows which one has the presentation time.
        let own = packet.presentationTime?.rescaled(to: MediaTime.microseconds).ticks
        guard let time = timestamp(subtitle.pts) ?? own else { return nil }
        return BitmapCue(
            subtitle.pictures, on: canvas, from: time + Int64(subtitle.start_display_time) * 1000,
            to: subtitle.shownMilliseconds.map { time + $0 * 1000 })
    }

    private var canvas: PixelSize {
        // Without a display definition (EN 300 743, 7.2.1).
        if decoder.pointer.pointee.width == 0, decoder.pointer.pointee.codec_id == AV_CODEC_ID_DVB_SUBTITLE {
            return PixelSize(720, 576)
        }
        return PixelSize(Int(decoder.pointer.pointee.width), Int(decoder.pointer.pointee.height))
    }
}

extension AVSubtitle {
    /// nil until the next cue.
    fileprivate var shownMilliseconds: Int64? {
        end_display_time > start_display_time && end_display_time != .max ? Int64(end_display_time) : nil
    }

    fileprivate var pictures: [BitmapCue.Picture] {
        (0..<Int(num_rects)).compactMap { index in
            guard let rect = rects[index]?.pointee, rect.type == SUBTITLE_BITMAP, rect.w > 0, rect.h > 0 else {
                return nil
            }
            let region = PixelRegion(x: Int(rect.x), y: Int(rect.y), size: PixelSize(Int(rect.w), Int(rect.h)))
            return (try? Frame(bitmap: rect)).map { BitmapCue.Picture(region: region, frame: $0) }
        }
    }
}

extension Frame {
    /// Copies a bitmap and its palette.
    fileprivate convenience init(bitmap: AVSubtitleRect) throws(FFmpegError) {
        try self.init(size: PixelSize(Int(bitmap.w), Int(bitmap.h)), pixelFormat: PixelFormat(AV_PIX_FMT_PAL8))
        guard let rows = bitmap.data.0, let palette = bitmap.data.1 else {
            throw FFmpegError("avcodec_decode_subtitle2", vtx_error_invalid_data)
        }
        av_image_copy_plane(
            pointer.pointee.data.0, pointer.pointee.linesize.0, rows, bitmap.linesize.0, bitmap.w, bitmap.h)
        pointer.pointee.data.1?.update(from: palette, count: Int(AVPALETTE_SIZE))
    }
}
