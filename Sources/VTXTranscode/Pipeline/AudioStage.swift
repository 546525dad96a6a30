import VTXFFmpeg
import VTXMedia

/// One audio stream from its source's coding to another. Gaps in its time are filled with silence, so that it stays
/// with the picture.
struct AudioStage: Sendable {
    let source: InputStream
    let settings: AudioEncoderSettings
    let plan: TranscodePlan
    let stream: Int
    let input: BoundedQueue<Packet>
    let output: BoundedQueue<OutputMessage>
    let damage: SourceDamage

    func run() throws {
        let chain = try AudioChain(self)
        while let packet = try input.pop() { try chain.feed(packet) }
        try chain.feed(nil)
        output.finish()
    }
}

/// Decoder, resampler and encoder of one audio stream.
private final class AudioChain {
    private let stage: AudioStage
    private let decoder: DecoderContext
    private let encoder: EncoderContext
    private var graph: FilterGraph?

    init(_ stage: AudioStage) throws {
        self.stage = stage
        do {
            decoder = try DecoderContext(stage.source, threads: 1)
            encoder = try EncoderContext(audio: stage.settings)
        } catch {
            throw TranscodeError(.unsupported, "audio.codec", "\(stage.source.label) cannot be converted: \(error)")
        }
        let description = StreamDescriptions.converted(
            stage.plan, stage.source, encoder.parameters, encoder.timeBase)
        try stage.output.push(.open(stream: stage.stream, description))
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
            if error.kind == .outOfMemory { throw error }
            stage.damage.countDroppedAudio()
        }
        return frames
    }

    private func resample(_ frame: Frame) throws {
        guard isWanted(frame) else { return }
        if graph == nil {
            graph = try FilterGraph(audioLike: frame, chain: chain, samplesPerFrame: encoder.samplesPerFrame)
        }
        try graph?.send(frame)
        try encodeWhatIsReady()
    }

    private func isWanted(_ frame: Frame) -> Bool {
        guard let seconds = frame.presentationTime?.seconds else { return true }
        if let start = stage.plan.clock.start, seconds < start { return false }
        if let end = stage.plan.clock.end, seconds >= end { return false }
        return true
    }

    /// `async` fills gaps and cuts overlaps, and changes nothing where there are none.
    private var chain: String {
        let settings = stage.settings
        return "aresample=\(settings.sampleRate):async=1:min_hard_comp=0.1,"
            + "aformat=sample_fmts=\(settings.sampleFormat):sample_rates=\(settings.sampleRate)"
            + ":channel_layouts=\(settings.channelLayout)"
    }

    private func encodeWhatIsReady() throws {
        guard let graph else { return }
        while case .unit(let frame) = try graph.receive() {
            frame.rescale(to: encoder.timeBase)
            try encode(frame)
        }
    }

    private func encode(_ frame: Frame?) throws {
        try encoder.send(frame)
        while case .unit(let packet) = try encoder.receive() {
            try stage.output.push(.packet(packet, stream: stage.stream))
        }
    }

    private func drain() throws {
        try graph?.send(nil)
        try encodeWhatIsReady()
        try encode(nil)
    }
}
