import CFFmpeg
import CVTXShims
import Glibc

/// Converts text subtitles to another format (C: `avcodec_decode_subtitle2`, `avcodec_encode_subtitle`).
///
/// Unchecked: one thread at a time calls it.
package final class SubtitleConverter: @unchecked Sendable {
    private let decoder: CodecContext
    private let encoder: CodecContext
    /// The maximum size of a cue, in bytes. More is not text.
    private static let largestCue = 1 << 24
    /// C: `AVERROR_BUFFER_TOO_SMALL`.
    private static let bufferTooSmall = -Int32(bitPattern: OutputStreamDescription.tag("BUFS"))
    /// libavcodec's name of the encoder.
    private let codecName: String
    /// Whether the new format stores where a cue is shown.
    private var keepsPositions: Bool { ["ass", "subrip"].contains(codecName) }
    /// The number of cues that are converted without their position.
    package private(set) var movedCount = 0
    /// The parameters of the new stream for a container's header.
    package let parameters: CodecParameters

    /// - Parameter codecName: libavcodec's name of the encoder: `mov_text`, `subrip`, `ass`.
    package init(_ stream: InputStream, to codecName: String) throws(FFmpegError) {
        self.codecName = codecName
        decoder = try CodecContext(decoding: stream)
        try decoder.open()
        encoder = try CodecContext(encoder: codecName)
        encoder.pointer.pointee.time_base = AVRational(num: 1, den: 1000)
        try encoder.copyHeader(from: decoder)
        try encoder.open()
        parameters = try CodecParameters(of: encoder.pointer)
    }

    /// The result of converting a cue.
    package enum Converted: Sendable {
        case cue(Packet)
        /// The cue contains no text.
        case nothing
        /// The text is too long for the new format.
        case tooLong
    }

    package func convert(_ packet: Packet) throws(FFmpegError) -> Converted {
        var subtitle = AVSubtitle()
        var isComplete: Int32 = 0
        try check(
            avcodec_decode_subtitle2(decoder.pointer, &subtitle, &isComplete, packet.pointer),
            "avcodec_decode_subtitle2")
        guard isComplete != 0 else { return .nothing }
        defer { avsubtitle_free(&subtitle) }
        guard subtitle.num_rects > 0 else { return .nothing }
        if codecName != "ass" {
            guard try adapt(&subtitle) else { return .nothing }
        }
        // The packet carries the timestamps; the text must not repeat them.
        subtitle.start_display_time = 0
        guard let text = try encode(&subtitle, room: max(1 << 12, 2 * packet.byteCount)) else { return .tooLong }
        guard !text.isEmpty else { return .nothing }
        if !keepsPositions, subtitle.isPositioned { movedCount += 1 }
        return .cue(
            try Packet(
                bytes: text, pts: packet.pts, dts: packet.pts, duration: packet.duration, timeBase: packet.timeBase))
    }

    /// Adapts what libavcodec's encoders would copy literally into the new format.
    ///
    /// - Returns: whether any text is left.
    private func adapt(_ subtitle: inout AVSubtitle) throws(FFmpegError) -> Bool {
        var hasText = false
        for index in 0..<Int(subtitle.num_rects) {
            guard let rect = subtitle.rects[index], let line = rect.pointee.ass else { continue }
            var dialogue = DialogueText(String(cString: line))
            hasText = dialogue.removeDrawings() || hasText
            if codecName == "webvtt" { dialogue.escapeForWebVTT() }
            guard let adapted = av_strdup(dialogue.line) else { throw FFmpegError("av_strdup", -ENOMEM) }
            av_free(line)
            rect.pointee.ass = adapted
        }
        return hasText
    }

    /// Encodes a cue. The size cannot be predicted, because each format has its own markup.
    ///
    /// - Returns: the bytes; nil for a text that is too long for the format: mov_text stores its length in 16 bits.
    private func encode(_ subtitle: inout AVSubtitle, room: Int) throws(FFmpegError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: room)
        let status = avcodec_encode_subtitle(encoder.pointer, &buffer, Int32(room), &subtitle)
        if status == Self.bufferTooSmall, room < Self.largestCue {
            return try encode(&subtitle, room: room * 4)
        }
        if status == -ERANGE { return nil }
        return Array(buffer[..<Int(try check(status, "avcodec_encode_subtitle"))])
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

extension AVSubtitle {
    /// The tags of a position other than the usual one, at the bottom (`\an2`). Decoders pass text on in the form of ASS.
    private static let places = [1, 3, 4, 5, 6, 7, 8, 9].map { "\\an\($0)" } + ["\\pos(", "\\move("]

    fileprivate var isPositioned: Bool {
        (0..<Int(num_rects)).contains { index in
            guard let text = rects[index]?.pointee.ass.map({ String(cString: $0) }) else { return false }
            return Self.places.contains { text.contains($0) }
        }
    }
}
