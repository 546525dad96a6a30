import CFFmpeg
import CVTXShims
import VTXMedia

/// An audio encoder's settings, in libavcodec's terms.
package struct AudioEncoderSettings: Sendable, Hashable {
    /// libavcodec's name of the encoder, for example `aac`.
    package var codecName: String
    package var sampleRate: Int
    /// libavutil's description, for example `stereo` or `5.1(side)`.
    package var channelLayout: String
    /// libavutil's name, for example `fltp`.
    package var sampleFormat: String
    /// Bits per second; nil for lossless codecs.
    package var bitrate: Int?
    package var usesGlobalHeader: Bool

    /// Fits the encoder `codecName` to a source: the nearest rate, layout and sample format that it takes.
    package init(
        codecName: String, source: CodecParameters, bitrate: Int?, usesGlobalHeader: Bool
    ) throws(FFmpegError) {
        guard let codec = avcodec_find_encoder_by_name(codecName) else {
            throw FFmpegError("avcodec_find_encoder_by_name(\(codecName))", vtx_error_encoder_not_found)
        }
        self.codecName = codecName
        sampleRate = Self.nearestRate(to: source.sampleRate, of: codec)
        channelLayout = Self.layout(of: source, for: codecName)
        let format = vtx_codec_sample_formats(codec)?.pointee ?? AV_SAMPLE_FMT_FLTP
        sampleFormat = String(optional: av_get_sample_fmt_name(format)) ?? "fltp"
        self.bitrate = bitrate
        self.usesGlobalHeader = usesGlobalHeader
    }

    private static func nearestRate(to wanted: Int, of codec: UnsafePointer<AVCodec>) -> Int {
        guard var next = vtx_codec_sample_rates(codec) else { return wanted }
        var rates: [Int] = []
        while next.pointee != 0 {
            rates.append(Int(next.pointee))
            next += 1
        }
        // Rather up than down: a higher rate loses nothing.
        return rates.filter { $0 >= wanted }.min() ?? rates.max() ?? wanted
    }

    /// The source's own layout, or the usual one for so many channels; MP3 ends at stereo, AC-3 at 5.1.
    private static func layout(of source: CodecParameters, for codecName: String) -> String {
        let limit = ["libmp3lame": 2, "ac3": 6, "eac3": 6, "aac": 8][codecName] ?? 8
        var layout = AVChannelLayout()
        defer { av_channel_layout_uninit(&layout) }
        if source.channelCount <= limit, source.pointer.pointee.ch_layout.order == AV_CHANNEL_ORDER_NATIVE {
            av_channel_layout_copy(&layout, &source.pointer.pointee.ch_layout)
        } else {
            av_channel_layout_default(&layout, Int32(min(max(1, source.channelCount), limit)))
        }
        var text = [CChar](repeating: 0, count: 128)
        av_channel_layout_describe(&layout, &text, text.count)
        return String(nullTerminated: text)
    }
}

extension EncoderContext {
    package convenience init(audio settings: AudioEncoderSettings) throws(FFmpegError) {
        try self.init(
            codecName: settings.codecName, timeBase: Rational(1, settings.sampleRate), options: []
        ) { context throws(FFmpegError) in
            context.pointee.sample_rate = Int32(settings.sampleRate)
            context.pointee.sample_fmt = av_get_sample_fmt(settings.sampleFormat)
            try check(
                av_channel_layout_from_string(&context.pointee.ch_layout, settings.channelLayout),
                "av_channel_layout_from_string")
            if let bitrate = settings.bitrate { context.pointee.bit_rate = Int64(bitrate) }
            if settings.usesGlobalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        }
    }

    /// Samples that each frame must have; 0 where any number will do.
    package var samplesPerFrame: Int {
        guard let codec = context.pointee.codec else { return 0 }
        let anySize = codec.pointee.capabilities & Int32(AV_CODEC_CAP_VARIABLE_FRAME_SIZE) != 0
        return anySize ? 0 : Int(context.pointee.frame_size)
    }
}
