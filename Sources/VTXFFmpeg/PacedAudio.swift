import Glibc
import VTXMedia

/// Decodes one audio stream, and brings its samples to one format without gaps, for an encoder or a meter.
///
/// The source's sample rate, layout and format may change midway; the encoder's cannot. Each format has its own
/// converter, followed by a single pacer, which sees one continuous stream.
final class PacedAudio {
    /// How far audio may be off its timestamp before it is moved, in seconds: inaudible, and more than timestamps of
    /// continuous audio jitter. Correcting jitter would make each correction audible as a click.
    private static let tolerance = 0.005
    /// The longest silence that the pacer inserts at once, in seconds. It is held in memory.
    private static let longestSilence = 60.0

    /// The maximum stretch for audio with a different clock, in samples per second at 48 kHz. Inaudible.
    private static let maxStretch = 240

    private let settings: AudioEncoderSettings
    private let samplesPerFrame: Int
    /// What follows the pacer.
    private let chain: [String]
    private let isRecorded: Bool
    /// Seconds; nil for the source's own start or end.
    private let (start, end): (Double?, Double?)
    private let emit: (Frame) throws -> Void
    private let onDamage: () -> Void
    /// Whether the next packet may be the end of one, where reading begins in mid-file.
    private var mayBePartial: Bool
    /// The source's time base, in seconds.
    private let tick: Double
    /// nil if the input consists of frames.
    private var decoder: DecoderContext?
    /// Converts frames of one format to the encoder's, keeping their timestamps.
    private var converter: FilterGraph?
    /// The format that the converter was built for.
    private var format: AudioFormat?
    /// The number of channels at the beginning, and the largest so far.
    private(set) var channelCounts: (first: Int, most: Int)?
    /// Fills gaps, cuts overlaps, and repacks samples into frames of the encoder's size.
    private var pacer: FilterGraph?
    /// The start of the last frame sent to the pacer, in seconds.
    private var lastTime: Double?
    /// The end of the last frame, in seconds.
    private var lastEnd: Double?
    /// A frame that begins after a gap; the next one tells whether there is one.
    private var late: Frame?

    /// - Parameters:
    ///   - source: The stream that packets come from; nil if the input consists of frames.
    ///   - samplesPerFrame: The frame size of the consumer; 0 for any.
    ///   - chain: Filters for the paced samples.
    ///   - isRecorded: Whether samples follow an audio device's clock, and their timestamps another one. They are
    ///     stretched to match.
    ///   - span: In seconds. Samples before its start are dropped, as are samples at or after its end.
    ///   - emit: Called with each frame.
    ///   - onDamage: Called for a packet that cannot be decoded.
    init(
        _ source: InputStream?, _ settings: AudioEncoderSettings, samplesPerFrame: Int = 0, through chain: [String],
        isRecorded: Bool, in span: (start: Double?, end: Double?), onDamage: @escaping () -> Void,
        emit: @escaping (Frame) throws -> Void
    ) throws(FFmpegError) {
        (self.settings, self.samplesPerFrame, self.chain) = (settings, samplesPerFrame, chain)
        (self.isRecorded, self.emit, self.onDamage) = (isRecorded, emit, onDamage)
        (start, end) = span
        mayBePartial = start != nil
        tick = source.map { MediaTime(1, $0.timeBase).seconds } ?? 0
        decoder = try source.map { stream throws(FFmpegError) in try DecoderContext(stream, threads: 1) }
    }

    /// Continues with another stream, whose timestamps continue this one's.
    func reconfigure(for source: InputStream) throws {
        try takeLate(before: nil)
        try finishConverter()
        format = nil
        decoder = try DecoderContext(source, threads: 1)
    }

    /// - Parameter packet: The packet; nil at the end of the stream.
    func convert(_ packet: Packet?) throws {
        for frame in try decode(packet) { try convert(frame) }
        if packet == nil { try drain() }
    }

    /// Decodes a packet. Damaged data only loses its own frames. Some decoders return error codes of their own, so
    /// every decoding error except one counts as damaged data.
    private func decode(_ packet: Packet?) throws(FFmpegError) -> [Frame] {
        var frames: [Frame] = []
        guard let decoder else { return frames }
        do {
            try decoder.send(packet)
            while case .unit(let frame) = try decoder.receive() { frames.append(frame) }
        } catch {
            if error.kind == .outOfResources { throw error }
            if !mayBePartial { onDamage() }
        }
        mayBePartial = false
        return frames
    }

    /// Converts a decoded frame.
    func convert(_ frame: Frame) throws {
        try takeLate(before: frame)
        if let time = frame.presentationTime?.seconds, let lastEnd, time - lastEnd > threshold {
            late = frame
        } else {
            try take(frame)
        }
    }

    /// Takes the frame after a gap. If its samples end where the next one begins, there is no gap: libavformat's Ogg
    /// demuxer gives Vorbis's first short block after a long one a time that is late by a quarter of the difference.
    private func takeLate(before next: Frame?) throws {
        guard let frame = late else { return }
        late = nil
        if let lastEnd, let time = next?.presentationTime?.seconds,
            abs(time - frame.audioSeconds - lastEnd) <= threshold
        {
            frame.pts = MediaTime(seconds: lastEnd).rescaled(to: frame.timeBase).ticks
        }
        try take(frame)
    }

    private func take(_ frame: Frame) throws {
        if let start = frame.presentationTime?.seconds ?? lastEnd { lastEnd = start + frame.audioSeconds }
        guard try trim(frame) else { return }
        if frame.audioFormat != format {
            try finishConverter()
            format = frame.audioFormat
            note(frame.audioFormat.channelCount)
            converter = try FilterGraph(audioLike: frame, chain: settings.form, samplesPerFrame: 0)
        }
        try converter?.send(frame)
        try paceWhatIsReady()
    }

    private func note(_ count: Int) {
        let earlier = channelCounts ?? (count, count)
        channelCounts = (earlier.first, max(earlier.most, count))
    }

    /// - Returns: false if nothing is left.
    private func trim(_ frame: Frame) throws(FFmpegError) -> Bool {
        guard let time = frame.presentationTime?.seconds else { return true }
        let (rate, count) = (Double(frame.audioFormat.sampleRate), frame.sampleCount)
        func sample(at seconds: Double) -> Int { Int(min(Double(count), max(0, ((seconds - time) * rate).rounded()))) }
        let (first, last) = (start.map(sample) ?? 0, end.map(sample) ?? count)
        guard first < last else { return false }
        if first > 0 || last < count { try frame.keepSamples(first..<last) }
        return true
    }

    /// How far audio may be off its timestamp here, in seconds. Timestamps are off by up to one tick of the source's time
    /// base, including the first, to which the others are compared.
    private var threshold: Double { max(Self.tolerance, 2 * tick) }

    /// The pacer's filter. `async` fills gaps, cuts overlaps, and changes nothing otherwise.
    private var pace: String {
        let gapless =
            isRecorded
            ? "aresample=async=\(Self.maxStretch):min_comp=0.001:min_hard_comp=0.05"
            : "aresample=async=1:min_comp=\(threshold):min_hard_comp=\(threshold)"
        return ([gapless] + chain).joined(separator: ",")
    }

    private func paceWhatIsReady() throws {
        guard let converter else { return }
        while case .unit(let frame) = try converter.receive() {
            if pacer == nil {
                pacer = try FilterGraph(audioLike: frame, chain: pace, samplesPerFrame: samplesPerFrame)
            }
            try bridgeGap(before: frame)
            try pacer?.send(frame)
            try emitWhatIsReady()
        }
    }

    /// Splits a long gap, because the pacer fills each gap at once: inserts a few samples of silence every minute.
    private func bridgeGap(before frame: Frame) throws {
        guard let time = frame.presentationTime?.seconds else { return }
        while let lastTime, time - lastTime > Self.longestSilence {
            let silence = try silentFrame(at: lastTime + Self.longestSilence, timeBase: frame.timeBase)
            self.lastTime = lastTime + Self.longestSilence
            try pacer?.send(silence)
            try emitWhatIsReady()
        }
        lastTime = time
    }

    private func silentFrame(at seconds: Double, timeBase: Rational) throws -> Frame {
        let generator = try FilterGraph(generating: "anullsrc,\(settings.form)", isAudio: true)
        guard case .unit(let frame) = try generator.receive() else {
            throw FFmpegError("anullsrc", -EINVAL)
        }
        frame.setTimes(pts: MediaTime(seconds: seconds).rescaled(to: timeBase).ticks, duration: 0, timeBase: timeBase)
        return frame
    }

    /// Flushes the resampler. Its buffered samples precede the frames of the next format.
    private func finishConverter() throws {
        try converter?.send(nil)
        try paceWhatIsReady()
        converter = nil
    }

    private func emitWhatIsReady() throws {
        guard let pacer else { return }
        while case .unit(let frame) = try pacer.receive() { try emit(frame) }
    }

    private func drain() throws {
        try takeLate(before: nil)
        try finishConverter()
        try pacer?.send(nil)
        try emitWhatIsReady()
    }
}
