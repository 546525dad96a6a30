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
