import Glibc
package import VTXMedia

extension AudioEncoderSettings {
    /// libavfilter's EBU R 128 filter: it looks 3 s ahead, at 192 kHz, and needs audio without gaps. Lossy encoders go
    /// beyond the peaks that they get, which takes some more room.
    package var loudnessFilter: String? {
        loudness.map { "loudnorm=i=\($0):lra=11:tp=\(bitrate == nil ? "-1.5" : "-3")" }
    }
}

/// Decoder, resampler and encoder of one audio stream.
///
/// The source's rate, layout and sample format may change in the middle, the encoder's never do: there is a converter for
/// each format, and one pacer, which sees one stream from beginning to end.
package final class AudioConverter {
    /// Seconds by which audio may be off its time before it is moved: inaudible, and more than timestamps of steady
    /// audio jitter. Each correction of those would be a click.
    private static let tolerance = 0.005
    /// Seconds of silence that the pacer inserts at once, in memory.
    private static let longestSilence = 60.0

    /// Samples a second of 48,000 by which audio of another clock is stretched: nothing that is heard.
    private static let maxStretch = 240

    private let settings: AudioEncoderSettings
    private let isRecorded: Bool
    /// Seconds; nil for the source's own.
    private let (start, end): (Double?, Double?)
    private let emit: (Packet) throws -> Void
    private let onDamage: () -> Void
    /// Seconds of the source's time base.
    private let tick: Double
    /// nil where frames come.
    private var decoder: DecoderContext?
    private let encoder: EncoderContext
    /// Converts frames of one format to the encoder's; keeps their times.
    private var converter: FilterGraph?
    /// What the converter was built for.
    private var format: AudioFormat?
    /// Fills gaps, cuts overlaps, and makes frames as long as the encoder wants them.
    private var pacer: FilterGraph?
    /// Seconds at which the last frame that the pacer got began.
    private var lastTime: Double?

    /// - Parameters:
    ///   - source: whose packets come; nil where frames do.
    ///   - isRecorded: the samples come by an audio device's clock, and their times by another: they are stretched.
    ///   - start: seconds; samples before it are left out, and with `end` those that begin there or later.
    ///   - emit: takes what comes out.
    ///   - onDamage: hears of a packet that cannot be decoded.
    package init(
        _ source: InputStream?, _ settings: AudioEncoderSettings, isRecorded: Bool = false,
        from start: Double? = nil, to end: Double? = nil, emit: @escaping (Packet) throws -> Void,
        onDamage: @escaping () -> Void = {}
    ) throws(FFmpegError) {
        (self.settings, self.start, self.end, self.emit, self.onDamage) = (settings, start, end, emit, onDamage)
        self.isRecorded = isRecorded
        tick = source.map { MediaTime(1, $0.timeBase).seconds } ?? 0
        decoder = try source.map { stream throws(FFmpegError) in try DecoderContext(stream, threads: 1) }
        encoder = try EncoderContext(audio: settings)
    }

    /// Of what comes out.
    package var parameters: CodecParameters { encoder.parameters }
    package var timeBase: Rational { encoder.timeBase }

    /// Goes on with another stream, whose times go on from this one's.
    package func goOn(with source: InputStream) throws {
        try finishConverter()
        format = nil
        decoder = try DecoderContext(source, threads: 1)
    }

    /// - Parameter packet: nil when there are no more.
    package func convert(_ packet: Packet?) throws {
        for frame in try decode(packet) { try convert(frame) }
        if packet == nil { try drain() }
    }

    /// Bad data costs its frames and nothing else. Some decoders answer with numbers of their own, so every error of
    /// theirs counts as bad data, except one.
    private func decode(_ packet: Packet?) throws(FFmpegError) -> [Frame] {
        var frames: [Frame] = []
        guard let decoder else { return frames }
        do {
            try decoder.send(packet)
            while case .unit(let frame) = try decoder.receive() { frames.append(frame) }
        } catch {
            if error.kind == .outOfResources { throw error }
            onDamage()
        }
        return frames
    }

    /// Takes a frame that is decoded.
    package func convert(_ frame: Frame) throws {
        guard try trim(frame) else { return }
        if frame.audioFormat != format {
            try finishConverter()
            format = frame.audioFormat
            converter = try FilterGraph(audioLike: frame, chain: form, samplesPerFrame: 0)
        }
        try converter?.send(frame)
        try paceWhatIsReady()
    }

    /// - Returns: false where nothing is left.
    private func trim(_ frame: Frame) throws(FFmpegError) -> Bool {
        guard let time = frame.presentationTime?.seconds else { return true }
        let (rate, count) = (Double(frame.audioFormat.sampleRate), frame.sampleCount)
        func sample(at seconds: Double) -> Int { Int(min(Double(count), max(0, ((seconds - time) * rate).rounded()))) }
        let (first, last) = (start.map(sample) ?? 0, end.map(sample) ?? count)
        guard first < last else { return false }
        if first > 0 || last < count { try frame.keepSamples(first..<last) }
        return true
    }

    /// libswresample leaves the center 3 dB below the front, and lets sums of floating-point samples clip.
    private static let mixing = "clev=1:slev=0.5:lfe_mix_level=0:rematrix_maxval=1"

    private var form: String {
        "aresample=\(settings.sampleRate):\(Self.mixing),aformat=sample_fmts=\(settings.sampleFormat)"
            + ":sample_rates=\(settings.sampleRate):channel_layouts=\(settings.channelLayout)"
    }

    /// `async` fills gaps and cuts overlaps, and changes nothing where there are none. Timestamps are off by up to a
    /// tick of the source's time base, the first one too, which the others are measured by.
    private var pace: String {
        let threshold = max(Self.tolerance, 2 * tick)
        let gapless =
            isRecorded
            ? "aresample=async=\(Self.maxStretch):min_comp=0.001:min_hard_comp=0.05"
            : "aresample=async=1:min_comp=\(threshold):min_hard_comp=\(threshold)"
        return [gapless, settings.loudnessFilter, form].compactMap(\.self).joined(separator: ",")
    }

    private func paceWhatIsReady() throws {
        guard let converter else { return }
        while case .unit(let frame) = try converter.receive() {
            if pacer == nil {
                pacer = try FilterGraph(audioLike: frame, chain: pace, samplesPerFrame: encoder.samplesPerFrame)
            }
            try bridgeGap(before: frame)
            try pacer?.send(frame)
            try encodeWhatIsReady()
        }
    }

    /// The pacer fills a gap at once, so a long one gets a few samples of silence each minute.
    private func bridgeGap(before frame: Frame) throws {
        guard let time = frame.presentationTime?.seconds else { return }
        while let lastTime, time - lastTime > Self.longestSilence {
            let silence = try silentFrame(at: lastTime + Self.longestSilence, timeBase: frame.timeBase)
            self.lastTime = lastTime + Self.longestSilence
            try pacer?.send(silence)
            try encodeWhatIsReady()
        }
        lastTime = time
    }

    private func silentFrame(at seconds: Double, timeBase: Rational) throws -> Frame {
        let generator = try FilterGraph(generating: "anullsrc,\(form)", isAudio: true)
        guard case .unit(let frame) = try generator.receive() else {
            throw FFmpegError("anullsrc", -EINVAL)
        }
        frame.setTimes(pts: MediaTime(seconds: seconds).rescaled(to: timeBase).ticks, duration: 0, timeBase: timeBase)
        return frame
    }

    /// What a resampler holds back belongs before the frames of another form.
    private func finishConverter() throws {
        try converter?.send(nil)
        try paceWhatIsReady()
        converter = nil
    }

    private func encodeWhatIsReady() throws {
        guard let pacer else { return }
        while case .unit(let frame) = try pacer.receive() {
            frame.rescale(to: encoder.timeBase)
            try encode(frame)
        }
    }

    private func encode(_ frame: Frame?) throws {
        try encoder.send(frame)
        while case .unit(let packet) = try encoder.receive() {
            try emit(packet)
        }
    }

    private func drain() throws {
        try finishConverter()
        try pacer?.send(nil)
        try encodeWhatIsReady()
        try encode(nil)
    }
}
