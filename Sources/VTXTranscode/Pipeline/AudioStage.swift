import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// One audio stream from its source's codec to another. Gaps are filled with silence, so that it stays in sync.
struct AudioStage: Sendable {
    let conversion: ConverterContext
    let settings: AudioEncoderSettings

    func run() throws {
        let chain = try AudioChain(conversion, settings)
        while let packet = try conversion.input.pop() { try chain.feed(packet) }
        try chain.feed(nil)
        conversion.output.finish()
    }
}

extension AudioEncoderSettings {
    /// libavfilter's EBU R 128 filter: it looks 3 s ahead, at 192 kHz, and needs audio without gaps. Lossy encoders go
    /// beyond the peaks that they get, which takes some more room.
    var loudnessFilter: String? { loudness.map { "loudnorm=i=\($0):lra=11:tp=\(bitrate == nil ? "-1.5" : "-3")" } }
}

/// Decoder, resampler and encoder of one audio stream.
///
/// The source's rate, layout and sample format may change in the middle, the encoder's never do: there is a converter for
/// each format, and one pacer, which sees one stream from beginning to end.
private final class AudioChain {
    /// Seconds by which audio may be off its time before it is moved: inaudible, and more than timestamps of steady
    /// audio jitter. Each correction of those would be a click.
    private static let tolerance = 0.005
    /// Seconds of silence that the pacer inserts at once, in memory.
    private static let longestSilence = 60.0

    private let conversion: ConverterContext
    private let settings: AudioEncoderSettings
    private let decoder: DecoderContext
    private let encoder: EncoderContext
    /// Converts frames of one format to the encoder's; keeps their times.
    private var converter: FilterGraph?
    /// What the converter was built for.
    private var format: AudioFormat?
    /// Fills gaps, cuts overlaps, and makes frames as long as the encoder wants them.
    private var pacer: FilterGraph?
    /// Seconds at which the last frame that the pacer got began.
    private var lastTime: Double?

    init(_ conversion: ConverterContext, _ settings: AudioEncoderSettings) throws {
        self.conversion = conversion
        self.settings = settings
        do {
            decoder = try DecoderContext(conversion.source, threads: 1)
            encoder = try EncoderContext(audio: settings)
        } catch {
            if error.kind == .outOfResources { throw error }
            throw TranscodeError(.audioCodec, "\(conversion.source.label) cannot be converted: \(error)")
                .at(stream: conversion.source.index).caused(by: "\(error)")
        }
        try conversion.open(encoder.parameters, timeBase: encoder.timeBase)
    }

    func feed(_ packet: Packet?) throws {
        for frame in try decode(packet) { try resample(frame) }
        if packet == nil { try drain() }
    }

    /// Bad data costs its frames and nothing else. Some decoders answer with numbers of their own, so every error of
    /// theirs counts as bad data, except one.
    private func decode(_ packet: Packet?) throws(FFmpegError) -> [Frame] {
        var frames: [Frame] = []
        do {
            try decoder.send(packet)
            while case .unit(let frame) = try decoder.receive() { frames.append(frame) }
        } catch {
            if error.kind == .outOfResources { throw error }
            conversion.damage.countDroppedAudio()
        }
        return frames
    }

    private func resample(_ frame: Frame) throws {
        guard isWanted(frame) else { return }
        if frame.audioFormat != format {
            try finishConverter()
            format = frame.audioFormat
            converter = try FilterGraph(audioLike: frame, chain: form, samplesPerFrame: 0)
        }
        try converter?.send(frame)
        try paceWhatIsReady()
    }

    private func isWanted(_ frame: Frame) -> Bool {
        frame.presentationTime.map(conversion.plan.timestamps.contains) ?? true
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
        let tick = MediaTime(1, conversion.source.timeBase).seconds
        let threshold = max(Self.tolerance, 2 * tick)
        let gapless = "aresample=async=1:min_comp=\(threshold):min_hard_comp=\(threshold)"
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
            throw TranscodeError(.internal, "anullsrc gives no frame")
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
            try conversion.passOn(packet)
        }
    }

    private func drain() throws {
        try finishConverter()
        try pacer?.send(nil)
        try encodeWhatIsReady()
        try encode(nil)
    }
}
