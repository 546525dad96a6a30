import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The stages and the queues between them:
///
///     demux -> decode -> filter -> encode -> output -> sink
///        \___ audio, subtitles, copies ____/
///
/// A `VideoLane` decodes, filters and encodes. It decodes once; each rendition of a ladder is filtered from the frames
/// of the previous one, encoded, and becomes a stream of the output. If there are several lanes, each works on a
/// segment of the video, and a `SegmentMerger` restores the order of their packets.
struct TranscodePipeline: Sendable {
    private let plan: TranscodePlan
    private let source: Source
    /// nil if the video is copied.
    private let encoding: PreparedEncoding?
    private let lower: [RenditionStages]
    private let sink: any PacketSink
    private let damage: InputErrorReport
    private let ledger: OutputLedger
    private let resume: ResumePoint?
    /// nil if this process does all the work.
    private let work: SegmentedWork?

    init(
        _ prepared: PreparedTranscode, sink: any PacketSink, damage: InputErrorReport, ledger: OutputLedger,
        lower ledgers: [OutputLedger] = [], from resume: ResumePoint? = nil, as work: SegmentedWork? = nil
    ) {
        self.work = work
        plan = prepared.plan
        source = prepared.source
        encoding = prepared.encoding
        lower = zip(prepared.lower, ledgers).enumerated().map { [plan] number, rendition in
            RenditionStages(
                stream: plan.streamIndex(ofRendition: number + 1), encoding: rendition.0.plan,
                stages: rendition.0.stages,
                ledger: rendition.1)
        }
        self.sink = sink
        self.damage = damage
        self.ledger = ledger
        self.resume = resume
    }

    /// Starts every stage in the group; the caller waits for it.
    func start(in group: ThreadGroup) {
        let queues = PipelineQueues(plan, as: work)
        group.onStop { [source] in
            queues.cancel()
            source.piped?.stop()
        }
        let video = encoding.map { startVideo($0, queues, in: group) }
        let demux = DemuxStage(
            source: source, plan: plan, video: video, converters: queues.converters, output: queues.output,
            damage: damage, ledger: ledger, resume: resume, work: work)
        let write = OutputStage(input: queues.output, sink: sink, ledger: ledger, plan: plan)
        group.run("output") { try write.run() }
        for stream in plan.streams where queues.converts(stream) { startConverter(stream, queues, in: group) }
        group.run("demux") { try demux.run() }
    }

    private func startVideo(
        _ encoding: PreparedEncoding, _ queues: PipelineQueues, in group: ThreadGroup
    ) -> any UnitConsumer<Packet> {
        switch work {
        case .segment(let number, let count): startSegment(number - 1, of: count, encoding, queues, in: group)
        case .join: JoinedVideo(encoding, plan, queues.output)
        case nil where encoding.plan.isCut: startLanes(encoding, queues, in: group)
        case nil: startLane(encoding, queues, in: group)
        }
    }

    /// Starts one segment of a clustered transcode. The packets around it are read and timed, but not decoded.
    private func startSegment(
        _ number: Int, of count: Int, _ encoding: PreparedEncoding, _ queues: PipelineQueues, in group: ThreadGroup
    ) -> any UnitConsumer<Packet> {
        let segments = SegmentQueue(encoding.plan, only: number)
        group.onStop { segments.cancel() }
        group.run("segment") {
            // A source with too few key frames may not have this segment.
            guard let segment = try segments.first() else { return queues.output.finish() }
            // For the plan, the decoder has decoded the beginning of the video.
            if segment.number > 0 { encoding.stages.decoder.reset() }
            try lane(encoding, queues.output).run(segment, in: group)
        }
        let seconds = (plan.timestamps.expectedSeconds ?? 0) / Double(count)
        let cutter = SegmentCutter(
            timeBase: plan.video.source.timeBase, seconds: max(seconds, SegmentCutter.Limits.minSeconds),
            after: plan.timestamps.start.map { MediaTime(seconds: $0) })
        return SegmentFeed(into: segments, cutter, RandomAccessCheck(source.video), limit: count)
    }

    /// Starts the whole video as one segment, with each stage as a thread of the group.
    private func startLane(
        _ encoding: PreparedEncoding, _ queues: PipelineQueues, in group: ThreadGroup
    ) -> any UnitConsumer<Packet> {
        let segment = Segment(capacity: PipelineQueues.packetDepth)
        group.onStop { segment.packets.cancel() }
        lane(encoding, queues.output).start(segment, in: group)
        return segment.packets
    }

    private func startLanes(
        _ encoding: PreparedEncoding, _ queues: PipelineQueues, in group: ThreadGroup
    ) -> any UnitConsumer<Packet> {
        let lanes = encoding.plan.parallelism
        let seconds = SegmentCutter.seconds(of: plan.timestamps.expectedSeconds, lanes: lanes)
        let schedule = LaneSchedule(
            encoding.plan, segmentSeconds: seconds, videoSeconds: plan.timestamps.expectedSeconds)
        let segments = SegmentQueue(encoding.plan, schedule)
        group.onStop { segments.cancel() }
        let merger = merger(segments, queues.output)
        for number in 0..<lanes {
            group.run("lane \(number)") { try runLane(number, encoding, on: segments, merger, in: group) }
        }
        return SegmentFeed(into: segments, cutter(encoding.plan, seconds), RandomAccessCheck(source.video))
    }

    private func cutter(_ encoding: VideoEncoding, _ seconds: Double) -> SegmentCutter {
        let (timeBase, starts) = (plan.video.source.timeBase, encoding.segmentQualities)
        let first = [resume?.last, plan.timestamps.start.map { MediaTime(seconds: $0) }].compactMap(\.self).max()
        return starts.isEmpty
            ? SegmentCutter(timeBase: timeBase, seconds: seconds, after: first)
            : SegmentCutter(timeBase: timeBase, starts: starts, after: first)
    }

    /// Runs a lane. The stages opened for planning process the first segment, on the first lane. In software, if there
    /// are fewer segments than lanes, no stages are opened for the rest.
    private func runLane(
        _ number: Int, _ encoding: PreparedEncoding, on segments: SegmentQueue, _ merger: SegmentMerger,
        in group: ThreadGroup
    ) throws {
        guard let first = try number == 0 ? segments.first() : segments.next(for: number) else { return }
        var own = encoding
        own.stages = try encoding.stages(of: number, source.video)
        try lane(own, merger).run(from: first, segments, as: number, in: group)
    }

    private func lane(_ encoding: PreparedEncoding, _ output: any SegmentConsumer) -> VideoLane {
        VideoLane(
            plan: plan, encoding: encoding.plan, stages: encoding.stages, lower: lower, source: source.video,
            shape: source.sample.shape, output: output, damage: damage, ledger: ledger, resume: resume)
    }

    private func merger(_ segments: SegmentQueue, _ output: BoundedQueue<OutputMessage>) -> SegmentMerger {
        let frameDuration = MediaTime.rescale(
            1, from: plan.video.frameRate.reciprocal, to: plan.video.timeBase)
        return SegmentMerger(segments, frameDuration: frameDuration, output: output)
    }

    private func startConverter(_ stream: StreamPlan, _ queues: PipelineQueues, in group: ThreadGroup) {
        guard let index = stream.outputIndex, let queue = queues.converters[index],
            let input = source.stream(stream.source)
        else { return }
        let conversion = ConverterContext(
            source: input, plan: plan, stream: stream, input: queue, output: queues.output, damage: damage)
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

/// The queues between the stages of a pipeline, except the video's own.
struct PipelineQueues: Sendable {
    /// The maximum number of packets that wait for a decoder or a converter.
    static let packetDepth = 16
    private static let outputDepth = 256
    /// The number of packets for which the output's thread wakes up.
    private static let outputBatch = 32

    let output: BoundedQueue<OutputMessage>
    /// The queues of the converters, by the stream's index in the output.
    let converters: [Int: BoundedQueue<Packet>]

    init(_ plan: TranscodePlan, as work: SegmentedWork? = nil) {
        // A segment's process leaves what is beside the video to the one that joins.
        let isSegment = work?.isSegment ?? false
        let converted = isSegment ? [] : plan.streams.filter(\.isConverted).compactMap(\.outputIndex)
        converters = Dictionary(
            uniqueKeysWithValues: converted.map { ($0, BoundedQueue(capacity: Self.packetDepth)) })
        // The demuxer (copies), the encoders of each rendition together, and each converter push into the output.
        let encoders = plan.video.encoding == nil ? 0 : 1 + (plan.ladder?.lower.count ?? 0)
        let producers = 1 + encoders + converted.count
        output = BoundedQueue(capacity: Self.outputDepth, producers: producers, batch: Self.outputBatch)
    }

    func converts(_ stream: StreamPlan) -> Bool {
        stream.isConverted && stream.outputIndex.map { converters[$0] != nil } ?? false
    }

    func cancel() {
        output.cancel()
        for queue in converters.values { queue.cancel() }
    }
}

/// A consumer of a stage's output: the queue to another thread, the next stage on the same one, or a splitter.
protocol UnitConsumer<Unit>: Sendable {
    associatedtype Unit: Sendable

    func push(_ unit: Unit) throws
    /// Ends the input.
    func finish() throws
    /// Whether further input is not needed.
    var isDone: Bool { get }
}

extension UnitConsumer {
    var isDone: Bool { false }
}

/// Replaces the stages if other processes encode the video, which then arrives through the sink.
private struct JoinedVideo: UnitConsumer {
    private let output: BoundedQueue<OutputMessage>

    init(_ encoding: PreparedEncoding, _ plan: TranscodePlan, _ output: BoundedQueue<OutputMessage>) {
        self.output = output
        let parameters = encoding.stages.encoder.parameters
        // Before the first packet of all there is room.
        try? output.push(
            .open(stream: plan.videoIndex, StreamDescriptions.encoded(plan, encoding.plan, parameters)))
    }

    func push(_ packet: Packet) {}

    func finish() throws {
        try output.push(.advance(to: nil))
        output.finish()
    }
}

extension BoundedQueue: UnitConsumer {}
