import CFFmpeg
import CVTXShims
package import VTXMedia

extension AudioEncoderSettings {
    /// Configures the encoder `codecName` for a source: the nearest sample rate, layout and format that it supports.
    ///
    /// - Parameter channels: The maximum number of channels; nil for as many as the encoder supports.
    package init(
        codecName: String, source: CodecParameters, channels: Int? = nil, bitrate: Int?, usesGlobalHeader: Bool
    ) throws(FFmpegError) {
        guard let codec = avcodec_find_encoder_by_name(codecName) else {
            throw FFmpegError("avcodec_find_encoder_by_name(\(codecName))", vtx_error_encoder_not_found)
        }
        let (layout, channelCount) = Self.layout(of: source, for: codecName, atMost: channels)
        let format = Self.format(for: source, of: codec)
        self.init(
            codecName: codecName, sampleRate: Self.nearestRate(to: source.sampleRate, of: codec),
            channelLayout: layout, channelCount: channelCount,
            sampleFormat: String(optional: av_get_sample_fmt_name(format)) ?? "fltp",
            // libavcodec's FLAC, the only lossless encoder here, supports up to 24 bits.
            bitsPerSample: isLossless(codec.pointee.id) ? min(format.integerBits, 24) : nil,
            bitrate: bitrate, usesGlobalHeader: usesGlobalHeader)
    }

    private static func nearestRate(to wanted: Int, of codec: UnsafePointer<AVCodec>) -> Int {
        // FLAC's header stores the rate in 20 bits, and libavcodec lists no rates for it.
        guard var next = vtx_codec_sample_rates(codec) else { return wanted > 655_350 ? 384_000 : wanted }
        var rates: [Int] = []
        while next.pointee != 0 {
            rates.append(Int(next.pointee))
            next += 1
        }
        // Prefer higher rates, which lose nothing.
        return rates.filter { $0 >= wanted }.min() ?? rates.max() ?? wanted
    }

    /// Returns the narrowest format that holds every bit of the source's samples, or else the widest.
    private static func format(for source: CodecParameters, of codec: UnsafePointer<AVCodec>) -> AVSampleFormat {
        guard var next = vtx_codec_sample_formats(codec) else { return AV_SAMPLE_FMT_FLTP }
        var formats: [AVSampleFormat] = []
        while next.pointee != AV_SAMPLE_FMT_NONE {
            formats.append(next.pointee)
            next += 1
        }
        return formats.filter { $0.integerBits >= source.bitsPerSample }.min { $0.integerBits < $1.integerBits }
            ?? formats.max { $0.integerBits < $1.integerBits } ?? AV_SAMPLE_FMT_FLTP
    }

    /// Returns the source's layout, or the default one for its number of channels. MP3 supports up to stereo, AC-3 up
    /// to 5.1.
    private static func layout(
        of source: CodecParameters, for codecName: String, atMost channels: Int?
    ) -> (String, Int) {
        let limit = min(["libmp3lame": 2, "ac3": 6, "eac3": 6, "aac": 8][codecName] ?? 8, channels ?? .max)
        var layout = AVChannelLayout()
        defer { av_channel_layout_uninit(&layout) }
        if source.channelCount <= limit, source.pointer.pointee.ch_layout.order == AV_CHANNEL_ORDER_NATIVE {
            av_channel_layout_copy(&layout, &source.pointer.pointee.ch_layout)
        } else {
            av_channel_layout_default(&layout, Int32(min(max(1, source.channelCount), limit)))
        }
        var text = [CChar](repeating: 0, count: 128)
        av_channel_layout_describe(&layout, &text, text.count)
        let (name, channels) = (String(nullTerminated: text), Int(layout.nb_channels))
        if ["aac", "libopus"].contains(codecName), let twin = backTwins[name] { return (twin, channels) }
        guard codecName == "libopus", !opusLayouts.contains(name) else { return (name, channels) }
        return channels <= 6 ? ("5.1", 6) : ("7.1", 8)
    }

    /// Maps side channels to back channels for codecs whose layouts have those: Vorbis, and AAC's channel
    /// configurations (ISO/IEC 14496-3 table 1.19), without which players do not know the channels' positions.
    private static let backTwins = ["quad(side)": "quad", "5.0(side)": "5.0", "5.1(side)": "5.1"]

    /// libopus supports only Vorbis's layouts; others are mapped without loss.
    private static let opusLayouts: Set = ["mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1"]
}

extension AudioEncoderSettings {
    /// Describes which properties of the source are lost; empty if none.
    ///
    /// - Parameter channels: The requested maximum, which does not count as a loss.
    package func losses(from source: CodecParameters, channels: Int? = nil) -> [String] {
        var losses: [String] = []
        if channelCount < min(source.channelCount, channels ?? .max) {
            losses.append("\(source.channelCount) channels to \(channelCount)")
        }
        if sampleRate < source.sampleRate { losses.append("\(source.sampleRate) Hz to \(sampleRate) Hz") }
        guard let bits = bitsPerSample, isLossless(source.pointer.pointee.codec_id) else { return losses }
        if source.sampleFormat.isFloat {
            losses.append("floating-point samples to \(bits) bits")
        } else if bits < source.bitsPerSample {
            losses.append("\(source.bitsPerSample) bits to \(bits) bits")
        }
        return losses
    }
}

private func isLossless(_ codec: AVCodecID) -> Bool {
    guard let descriptor = avcodec_descriptor_get(codec) else { return false }
    return descriptor.pointee.props & AV_CODEC_PROP_LOSSLESS != 0
}

extension CodecParameters {
    /// Whether the codec is lossless, as PCM is.
    package var isLossless: Bool { VTXFFmpeg.isLossless(pointer.pointee.codec_id) }

    fileprivate var sampleFormat: AVSampleFormat { AVSampleFormat(pointer.pointee.format) }

    /// The number of significant bits of a sample: 24-bit samples are stored in 32 bits.
    fileprivate var bitsPerSample: Int {
        let declared = Int(pointer.pointee.bits_per_raw_sample)
        return declared > 0 ? declared : sampleFormat.integerBits
    }
}

extension AVSampleFormat {
    /// The number of bits of the largest integers that it holds exactly; 16 if unknown.
    fileprivate var integerBits: Int {
        isFloat ? 24 : self == AV_SAMPLE_FMT_NONE ? 16 : Int(av_get_bytes_per_sample(self)) * 8
    }

    /// Whether samples are floating-point. Doubles count as floats, which suffice for audio.
    fileprivate var isFloat: Bool {
        let packed = av_get_packed_sample_fmt(self)
        return packed == AV_SAMPLE_FMT_FLT || packed == AV_SAMPLE_FMT_DBL
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
            if let bits = settings.bitsPerSample { context.pointee.bits_per_raw_sample = Int32(bits) }
            if let bitrate = settings.bitrate { context.pointee.bit_rate = Int64(bitrate) }
            if settings.usesGlobalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        }
    }

    /// The number of samples that each frame must have; 0 for any number.
    package var samplesPerFrame: Int {
        guard let codec = context.pointee.codec else { return 0 }
        let anySize = codec.pointee.capabilities & Int32(AV_CODEC_CAP_VARIABLE_FRAME_SIZE) != 0
        return anySize ? 0 : Int(context.pointee.frame_size)
    }
}
