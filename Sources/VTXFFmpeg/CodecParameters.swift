import CFFmpeg
import Glibc
package import VTXMedia

/// A container's description of a coded stream (C: `AVCodecParameters`).
///
/// Unchecked: immutable after `init`.
package final class CodecParameters: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVCodecParameters>

    init() throws(FFmpegError) {
        pointer = try require(avcodec_parameters_alloc(), "avcodec_parameters_alloc")
    }

    convenience init(copying source: UnsafePointer<AVCodecParameters>) throws(FFmpegError) {
        try self.init()
        try check(avcodec_parameters_copy(pointer, source), "avcodec_parameters_copy")
    }

    convenience init(of context: UnsafePointer<AVCodecContext>) throws(FFmpegError) {
        try self.init()
        try check(avcodec_parameters_from_context(pointer, context), "avcodec_parameters_from_context")
    }

    /// Creates the parameters of a video stream that was encoded elsewhere.
    ///
    /// - Parameter extradata: The data that containers store in their headers, such as parameter sets.
    package convenience init(video codec: VideoCodec, size: PixelSize, extradata: [UInt8]) throws(FFmpegError) {
        try self.init()
        pointer.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        pointer.pointee.codec_id = codec.avCodecID
        pointer.pointee.width = Int32(clamping: size.width)
        pointer.pointee.height = Int32(clamping: size.height)
        if !extradata.isEmpty { try setExtradata(extradata) }
    }

    /// Creates the parameters of a video stream whose packets need no header, such as Motion JPEG.
    ///
    /// - Parameter codecName: libavcodec's name: `mjpeg`.
    package convenience init(selfContained codecName: String, size: PixelSize) throws(FFmpegError) {
        try self.init()
        pointer.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        pointer.pointee.codec_id = avcodec_descriptor_get_by_name(codecName)?.pointee.id ?? AV_CODEC_ID_NONE
        pointer.pointee.width = Int32(clamping: size.width)
        pointer.pointee.height = Int32(clamping: size.height)
    }

    /// Creates the parameters of an attachment, such as a font or cover art.
    ///
    /// - Parameter codecName: libavcodec's name of the attachment's format: `png`, `ttf`.
    package convenience init(attachment bytes: [UInt8], codecName: String) throws(FFmpegError) {
        try self.init()
        pointer.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
        pointer.pointee.codec_id = avcodec_descriptor_get_by_name(codecName)?.pointee.id ?? AV_CODEC_ID_NONE
        try setExtradata(bytes)
    }

    /// Creates the parameters of a video stream of unknown size.
    package convenience init(video codec: VideoCodec, extradata: [UInt8]) throws(FFmpegError) {
        try self.init()
        pointer.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        pointer.pointee.codec_id = codec.avCodecID
        try setExtradata(extradata)
    }

    /// Creates a copy with other parameter sets, as Annex B or as the container's record.
    ///
    /// - Parameter codec: The codec that the copy names; nil for the same.
    package convenience init(
        _ other: CodecParameters, as codec: VideoCodec? = nil, extradata: [UInt8]
    ) throws(FFmpegError) {
        try self.init(copying: other.pointer)
        if let codec { pointer.pointee.codec_id = codec.avCodecID }
        try setExtradata(extradata)
    }

    private func setExtradata(_ bytes: [UInt8]) throws(FFmpegError) {
        let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
        guard let copy = av_mallocz(bytes.count + padding) else { throw FFmpegError("av_mallocz", -ENOMEM) }
        av_free(pointer.pointee.extradata)
        UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyBytes(from: bytes)
        pointer.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
        pointer.pointee.extradata_size = Int32(bytes.count)
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = pointer
        avcodec_parameters_free(&pointer)
    }
}

extension CodecParameters {
    package var kind: StreamKind {
        switch pointer.pointee.codec_type {
        case AVMEDIA_TYPE_VIDEO: .video
        case AVMEDIA_TYPE_AUDIO: .audio
        case AVMEDIA_TYPE_SUBTITLE: .subtitle
        case AVMEDIA_TYPE_ATTACHMENT: .attachment
        default: .data
        }
    }

    /// libavcodec's name, for example `h264`, `mov_text`; `none` if unknown.
    package var codecName: String { String(cString: avcodec_get_name(pointer.pointee.codec_id)) }

    /// The profile's name, if the codec has profiles and this one is known.
    package var profileName: String? {
        String(optional: avcodec_profile_name(pointer.pointee.codec_id, pointer.pointee.profile))
    }

    package var profile: Int { Int(pointer.pointee.profile) }
    package var level: Int { Int(pointer.pointee.level) }
    /// The four-character code with which containers of the QuickTime family tag a codec; 0 for none.
    package var codecTag: UInt32 { pointer.pointee.codec_tag }
    /// Bits per second; 0 if unknown.
    package var bitrate: Int { Self.plausible(bitrate: pointer.pointee.bit_rate) }

    /// Rejects bit rates above 1 Tbit/s, which damaged headers may contain.
    static func plausible(bitrate: Int64) -> Int { (0...1_000_000_000_000).contains(bitrate) ? Int(bitrate) : 0 }

    package var extradata: [UInt8] {
        Array(UnsafeBufferPointer(start: pointer.pointee.extradata, count: Int(pointer.pointee.extradata_size)))
    }

    package var size: PixelSize { PixelSize(Int(pointer.pointee.width), Int(pointer.pointee.height)) }
    package var pixelFormat: PixelFormat { PixelFormat(AVPixelFormat(pointer.pointee.format)) }
    package var sampleAspectRatio: Rational { Rational(pointer.pointee.sample_aspect_ratio) }

    package var color: ColorDescription {
        ColorDescription(
            primaries: pointer.pointee.color_primaries, transfer: pointer.pointee.color_trc,
            matrix: pointer.pointee.color_space, range: pointer.pointee.color_range,
            location: pointer.pointee.chroma_location)
    }

    /// nil if the container does not specify a field order.
    package var isInterlaced: Bool? {
        switch pointer.pointee.field_order {
        case AV_FIELD_UNKNOWN: nil
        case AV_FIELD_PROGRESSIVE: false
        default: true
        }
    }

    /// How many frames are decoded before they are shown (C: `video_delay`).
    package var reorderedFrames: Int { Int(pointer.pointee.video_delay) }

    package var sampleRate: Int { Int(pointer.pointee.sample_rate) }
    package var channelCount: Int { Int(pointer.pointee.ch_layout.nb_channels) }
    /// The number of samples that a decoder outputs before the first real one.
    package var initialPadding: Int { Int(pointer.pointee.initial_padding) }
    /// The number of samples in one coded frame; 0 if variable.
    package var frameSize: Int { Int(pointer.pointee.frame_size) }

    /// Whether this build of libavcodec can decode the stream.
    package var hasDecoder: Bool { avcodec_find_decoder(pointer.pointee.codec_id) != nil }

    /// Whether the stream's subtitles are text rather than bitmaps (C: `AV_CODEC_PROP_TEXT_SUB`).
    package var isTextSubtitle: Bool {
        guard let descriptor = avcodec_descriptor_get(pointer.pointee.codec_id) else { return false }
        return descriptor.pointee.props & AV_CODEC_PROP_TEXT_SUB != 0
    }
}

extension VideoCodec {
    fileprivate var avCodecID: AVCodecID {
        switch self {
        case .h264: AV_CODEC_ID_H264
        case .hevc: AV_CODEC_ID_HEVC
        case .av1: AV_CODEC_ID_AV1
        }
    }
}
