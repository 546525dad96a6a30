import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The stages and the queues between them:
///
///     demux -> decode -> filter -> encode -> output -> sink
///        \___ audio, subtitles, copies ____/
struct TranscodePipeline: Sendable {
    private let plan: TranscodePlan
    private let source: Source
    private let stages: OpenedStages
    private var sessions: StageSessions { stages.sessions }
    private let sink: any PacketSink
    private let damage: InputErrorReport
    private let ledger: OutputLedger
    private let resume: ResumePoint?

    init(
        _ prepared: PreparedTranscode, sink: any PacketSink, damage: InputErrorReport, ledger: OutputLedger,
        from resume: ResumePoint? = nil
    ) {
        plan = prepared.plan
        source = prepared.source
        stages = prepared.stages
        self.sink = sink
        self.damage = damage
        self.ledger = ledger
        self.resume = resume
    }

    /// Starts every stage in the group; the caller waits for it.
    func start(in group: ThreadGroup) {
        let queues = PipelineQueues(plan, sessions)
        group.onStop { queues.cancel() }
        let video = videoStages(between: queues)
        let demux = DemuxStage(
            source: source, plan: plan, video: queues.packets, converters: queues.converters, output: queues.output,
            damage: damage, resume: resume)
        let write = OutputStage(input: queues.output, sink: sink, ledger: ledger)
        group.run("output") { try write.run() }
        for stream in plan.streams where stream.isConverted { startConverter(stream, queues, in: group) }
        startVideo(video, queues, in: group)
        group.run("demux") { try demux.run() }
    }

    private typealias VideoStages = (decode: DecodeStage, filter: FilterStage, encode: EncodeStage)

    private func startVideo(_ video: VideoStages, _ queues: PipelineQueues, in group: ThreadGroup) {
        let mode = video.encode.encoder.mode
        group.run("encode") { [sessions] in
            try sessions.attributingFailures(.encode, in: mode) { try video.encode.run() }
        }
        if !sessions.filtersOnArrival { group.run("filter") { try video.filter.run(on: queues.decoded) } }
        group.run("decode") { [sessions] in try sessions.attributingFailures(.decode) { try video.decode.run() } }
    }

    private func videoStages(between queues: PipelineQueues) -> VideoStages {
        let filterStage = FilterStage(filter: stages.filter, sessions: sessions, output: queues.filtered)
        let frames: any FrameConsumer<Frame> = sessions.filtersOnArrival ? filterStage : queues.decoded
        return (
            DecodeStage(
                decoder: stages.decoder, input: queues.packets, output: frames, range: plan.timestamps,
                frameDuration: frameDuration, damage: damage, resume: resume),
            filterStage,
            EncodeStage(
                encoder: stages.encoder, plan: plan, stream: plan.videoIndex, input: queues.filtered,
                output: queues.output, ledger: ledger, resume: resume)
        )
    }

    private var frameDuration: Int64 {
        MediaTime.rescale(1, from: plan.video.filter.sourceFrameRate.reciprocal, to: plan.video.source.timeBase)
    }

    private func startConverter(_ stream: StreamPlan, _ queues: PipelineQueues, in group: ThreadGroup) {
        guard let index = stream.outputIndex, let queue = queues.converters[stream.source.index],
            let input = source.stream(stream.source)
        else { return }
        let conversion = ConverterContext(
            source: input, plan: plan, stream: index, input: queue, output: queues.output, damage: damage)
        switch stream.action {
        case .convertAudio(let settings):
            let stage = AudioStage(conversion: conversion, settings: settings)
            group.run("audio") { try stage.run() }
        case .convertSubtitle(let codec):
            let stage = SubtitleStage(conversion: conversion, codec: codec)
            group.run("subtitle") { try stage.run() }
        case .encodeVideo, .copy, .drop: break
        }
    }
}

/// The queues between the stages of a pipeline.
struct PipelineQueues: Sendable {
    private static let packetDepth = 16
    /// Frames in memory: one is enough to even out, and few enough to stay in the cache.
    private static let memoryDepth = 1
    private static let outputDepth = 256
    /// Packets for which the output's thread is woken up.
    private static let outputBatch = 32

    /// Packets that wait for the decoder.
    let packets = BoundedQueue<Packet>(capacity: packetDepth)
    let decoded: BoundedQueue<Frame>
    let filtered: BoundedQueue<Frame>
    let output: BoundedQueue<OutputMessage>
    /// Packets that wait for a converter, by the number that their stream has in the source.
    let converters: [Int: BoundedQueue<Packet>]

    init(_ plan: TranscodePlan, _ sessions: StageSessions) {
        let frameDepth = sessions.usesHardware ? sessions.queueDepth : Self.memoryDepth
        decoded = BoundedQueue(capacity: frameDepth)
        filtered = BoundedQueue(capacity: frameDepth)
        let converted = plan.streams.filter(\.isConverted).map(\.source.index)
        converters = Dictionary(
            uniqueKeysWithValues: converted.map { ($0, BoundedQueue(capacity: Self.packetDepth)) })
        // The demuxer (copies), the encoder, and each converter push into the output.
        output = BoundedQueue(capacity: Self.outputDepth, producers: 2 + converted.count, batch: Self.outputBatch)
    }

    func cancel() {
        packets.cancel()
        decoded.cancel()
        filtered.cancel()
        output.cancel()
        for queue in converters.values { queue.cancel() }
    }
}

/// What takes what a stage has made: the queue before another thread, or the next stage itself, on the same one.
protocol FrameConsumer<Unit>: Sendable {
    associatedtype Unit: Sendable

    func push(_ unit: Unit) throws
    /// There is nothing more.
    func finish() throws
}

extension BoundedQueue: FrameConsumer {}

/// One stream on its way from its source's coding to the output's: what every converter works with.
struct ConverterContext: Sendable {
    let source: InputStream
    let plan: TranscodePlan
    /// Its place in the output.
    let stream: Int
    let input: BoundedQueue<Packet>
    let output: BoundedQueue<OutputMessage>
    let damage: InputErrorReport

    /// Says what the stream has become.
    func open(_ parameters: CodecParameters, timeBase: Rational) throws {
        let description = StreamDescriptions.converted(plan, source.info, parameters, timeBase)
        try output.push(.open(stream: stream, description))
    }

    func passOn(_ packet: Packet) throws { try output.push(.packet(packet, stream: stream)) }
}
