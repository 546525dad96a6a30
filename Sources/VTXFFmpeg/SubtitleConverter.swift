import CFFmpeg
import CVTXShims
import Glibc

/// Turns text subtitles of one format into another (C: `avcodec_decode_subtitle2`, `avcodec_encode_subtitle`).
///
/// Unchecked: one thread at a time calls it.
package final class SubtitleConverter: @unchecked Sendable {
    private let decoder: CodecContext
    private let encoder: CodecContext
    /// Bytes that one cue may take. More is not text.
    private static let largestCue = 1 << 24
    /// C: `AVERROR_BUFFER_TOO_SMALL`.
    private static let bufferTooSmall = -Int32(bitPattern: OutputStreamDescription.tag("BUFS"))
    /// What the new stream is, for a container's header.
    package let parameters: CodecParameters

    /// - Parameter codecName: libavcodec's name of the encoder: `mov_text`, `subrip`, `ass`.
    package init(_ stream: InputStream, to codecName: String) throws(FFmpegError) {
        decoder = try CodecContext(decoding: stream)
        try decoder.open()
        encoder = try CodecContext(encoder: codecName)
        encoder.pointer.pointee.time_base = AVRational(num: 1, den: 1000)
        try encoder.copyHeader(from: decoder)
        try encoder.open()
        parameters = try CodecParameters(of: encoder.pointer)
    }

    /// One cue in, one cue out; nil for an empty one.
    package func convert(_ packet: Packet) throws(FFmpegError) -> Packet? {
        var subtitle = AVSubtitle()
        var isComplete: Int32 = 0
        try check(
            avcodec_decode_subtitle2(decoder.pointer, &subtitle, &isComplete, packet.pointer),
            "avcodec_decode_subtitle2")
        guard isComplete != 0 else { return nil }
        defer { avsubtitle_free(&subtitle) }
        guard subtitle.num_rects > 0 else { return nil }
        // The packet carries the times; the text must not repeat them.
        subtitle.start_display_time = 0
        let text = try encode(&subtitle, room: max(1 << 12, 2 * packet.byteCount))
        guard !text.isEmpty else { return nil }
        return try Packet(
            bytes: text, pts: packet.pts, dts: packet.pts, duration: packet.duration, timeBase: packet.timeBase)
    }

    /// How long the text becomes cannot be told before: each format writes its marks in its own way.
    private func encode(_ subtitle: inout AVSubtitle, room: Int) throws(FFmpegError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: room)
        let status = avcodec_encode_subtitle(encoder.pointer, &buffer, Int32(room), &subtitle)
        if status == Self.bufferTooSmall, room < Self.largestCue {
            return try encode(&subtitle, room: room * 4)
        }
        let length = Int(try check(status, "avcodec_encode_subtitle"))
        // Its own count of the text has 16 bits, and libavcodec lets it wrap.
        if encoder.pointer.pointee.codec_id == AV_CODEC_ID_MOV_TEXT, length > 2 + Int(UInt16.max) {
            throw FFmpegError("avcodec_encode_subtitle", vtx_error_invalid_data)
        }
        return Array(buffer[..<length])
    }
}

extension CodecContext {
    /// Text encoders read the decoder's style header, in ASS form.
    fileprivate func copyHeader(from decoder: CodecContext) throws(FFmpegError) {
        guard let header = decoder.pointer.pointee.subtitle_header else { return }
        let size = Int(decoder.pointer.pointee.subtitle_header_size)
        guard let copy = av_mallocz(size + 1) else { throw FFmpegError("av_mallocz", -ENOMEM) }
        copy.copyMemory(from: header, byteCount: size)
        pointer.pointee.subtitle_header = copy.assumingMemoryBound(to: UInt8.self)
        pointer.pointee.subtitle_header_size = Int32(size)
    }
}
