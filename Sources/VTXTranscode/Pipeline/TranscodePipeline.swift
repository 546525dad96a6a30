import VTXFFmpeg
import VTXMedia
import VTXSession

/// The stages and the queues between them:
///
///     demux -> decode -> filter -> encode -> output -> sink
///        \___ audio, subtitles, copies ____/
struct TranscodePipeline: Sendable {
    /// Packets that wait for the decoder.
    private static let packetDepth = 16
    /// Frames in memory: one is enough to even out, and few enough to stay in the cache.
    private static let memoryDepth = 1
    private static let outputDepth = 256
    /// Packets for which the output's thread is woken up.
    private static let outputBatch = 32

    private let plan: TranscodePlan
    private let source: Source
    private let sessions: StageSessions
    private let sink: any PacketSink
    private let damage: SourceDamage
    private let ledger: OutputLedger

    init(_ prepared: PreparedTranscode, sink: any PacketSink, damage: SourceDamage, ledger: OutputLedger) {
        plan = prepared.plan
        source = prepared.source
        sessions = prepared.sessions
        self.sink = sink
        self.damage = damage
        self.ledger = ledger
    }

    /// Starts every stage in the group; the caller waits for it.
    func start(in group: StageGroup) throws {
        let packets = BoundedQueue<Packet>(capacity: Self.packetDepth)
        let frameDepth = sessions.usesHardware ? sessions.budget.queueDepth : Self.memoryDepth
        let decoded = BoundedQueue<Frame>(capacity: frameDepth)
        let filtered = BoundedQueue<Frame>(capacity: frameDepth)
        let converted = plan.streams.filter(\.isConverted)
        // The demuxer (copies), the encoder, and each converter push into the output.
        let output = BoundedQueue<OutputMessage>(
            capacity: Self.outputDepth, producers: 2 + converted.count, batch: Self.outputBatch)
        let converters = Dictionary(
            uniqueKeysWithValues: converted.map {
                ($0.source.index, BoundedQueue<Packet>(capacity: Self.packetDepth))
            })
        group.onStop { packets.cancel() }
        group.onStop { decoded.cancel() }
        group.onStop { filtered.cancel() }
        group.onStop { output.cancel() }
        for queue in converters.values { group.onStop { queue.cancel() } }

        let video = try videoStages(packets, decoded, filtered, output)
        let demux = DemuxStage(
            source: source, plan: plan, video: packets, converters: converters, output: output, damage: damage)
        let write = OutputStage(input: output, sink: sink, ledger: ledger)
        group.run("output") { try write.run() }
        for stream in converted {
            guard let queue = converters[stream.source.index] else { continue }
            startConverter(stream, from: queue, to: output, in: group)
        }
        let mode = video.encode.encoder.mode
        group.run("encode") { [sessions] in try sessions.blaming(.encode, in: mode) { try video.encode.run() } }
        if !sessions.filtersOnArrival { group.run("filter") { try video.filter.run(on: decoded) } }
        group.run("decode") { [sessions] in try sessions.blaming(.decode) { try video.decode.run() } }
        group.run("demux") { try demux.run() }
    }

    private func videoStages(
        _ packets: BoundedQueue<Packet>, _ decoded: BoundedQueue<Frame>, _ filtered: BoundedQueue<Frame>,
        _ output: BoundedQueue<OutputMessage>
    ) throws -> (decode: DecodeStage, filter: FilterStage, encode: EncodeStage) {
        let video = plan.video
        let decoder = try sessions.blaming(.decode) { try sessions.decoding.makeDecoder(video.decoder) }
        let filter = try sessions.blaming(.filter) { try sessions.makeFilter(video.filter) }
        let encoder = try sessions.blaming(.encode) { try sessions.encoding.makeEncoder(video.encoder) }
        let filterStage = FilterStage(filter: filter, sessions: sessions, output: filtered)
        let frames: any UnitReceiver<Frame> = sessions.filtersOnArrival ? filterStage : decoded
        return (
            DecodeStage(decoder: decoder, input: packets, output: frames, timeline: timeline, damage: damage),
            filterStage,
            EncodeStage(
                encoder: encoder, plan: plan, stream: plan.videoIndex, input: filtered, output: output, ledger: ledger)
        )
    }

    private var timeline: FrameTimeline {
        let timeBase = plan.video.source.timeBase
        func ticks(_ seconds: Double) -> Int64 { MediaTime(seconds: seconds).rescaled(to: timeBase).ticks }
        return FrameTimeline(
            frameDuration: MediaTime.rescale(1, from: plan.video.filter.sourceFrameRate.reciprocal, to: timeBase),
            countsFrames: source.demuxer.hasNoTimestamps,
            origin: -plan.clock.offset.rescaled(to: timeBase).ticks,
            start: plan.clock.start.map(ticks), end: plan.clock.end.map(ticks),
            maxGap: plan.video.filter.frameRate == nil ? nil : ticks(DecodeStage.longestFrame),
            maxLeap: ticks(DecodeStage.longestLeap))
    }

    private func startConverter(
        _ stream: StreamPlan, from queue: BoundedQueue<Packet>, to output: BoundedQueue<OutputMessage>,
        in group: StageGroup
    ) {
        guard let index = stream.outputIndex else { return }
        let conversion = Conversion(
            source: stream.source, plan: plan, stream: index, input: queue, output: output, damage: damage)
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

extension StreamPlan {
    var isConverted: Bool {
        switch action {
        case .convertAudio, .convertSubtitle: true
        case .encodeVideo, .copy, .drop: false
        }
    }
}
