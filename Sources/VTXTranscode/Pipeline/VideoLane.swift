import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Ends the stages of a segment where the pipeline ends; a consequence, never the cause.
private struct PipelineStopped: Error {}

/// Decodes, filters and encodes segments, one after the other.
struct VideoLane: Sendable {
    let plan: TranscodePlan
    let encoding: VideoEncoding
    let stages: OpenedStages
    /// The source's first frames.
    let shape: FrameFormat
    let output: any SegmentConsumer
    let damage: InputErrorReport
    let ledger: OutputLedger
    /// Where an earlier run ended; nil at the beginning.
    let resume: ResumePoint?

    private var sessions: StageSessions { stages.sessions }

    /// Works on a segment, then on what comes after it, until nothing more does.
    func run(from first: Segment, _ segments: SegmentQueue, in group: ThreadGroup) throws {
        var next: Segment? = first
        while let segment = next {
            try run(segment, in: group)
            stages.decoder.reset()
            next = try segments.next()
        }
    }

    func run(_ segment: Segment, in group: ThreadGroup) throws {
        let threads = ThreadGroup()
        threads.onStop { segment.packets.cancel() }
        group.onStop { [weak threads] in threads?.stop(because: PipelineStopped()) }
        start(segment, in: threads)
        try threads.wait()
    }

    /// Starts the stages; the caller waits for the group.
    func start(_ segment: Segment, in group: ThreadGroup) {
        let depth = sessions.usesHardware ? sessions.queueDepth : Self.memoryDepth
        let decoded = BoundedQueue<Frame>(capacity: depth)
        let filtered = BoundedQueue<Frame>(capacity: depth)
        group.onStop {
            decoded.cancel()
            filtered.cancel()
        }
        let filter = FilterStage(
            filter: stages.filter, sessions: sessions, output: filtered,
            damage: encoding.filter.custom == nil ? nil : damage)
        let decode = decodeStage(segment, into: sessions.filtersOnArrival ? filter : decoded)
        let encode = encodeStage(segment, from: filtered)
        group.run("encode") { [sessions, mode = stages.encoder.mode] in
            try sessions.attributingFailures(.encode, in: mode) { try encode.run() }
        }
        if !sessions.filtersOnArrival { group.run("filter") { try filter.run(on: decoded) } }
        group.run("decode") { [sessions] in try sessions.attributingFailures(.decode) { try decode.run() } }
    }

    /// Frames in memory: one is enough to even out, and few enough to stay in the cache.
    private static let memoryDepth = 1

    private func decodeStage(_ segment: Segment, into frames: any UnitConsumer<Frame>) -> DecodeStage {
        let frameDuration = MediaTime.rescale(
            1, from: encoding.filter.sourceFrameRate.reciprocal, to: plan.video.source.timeBase)
        return DecodeStage(
            decoder: stages.decoder, segment: segment, output: frames, range: plan.timestamps,
            frameDuration: frameDuration, damage: damage, resume: segment.number == 0 ? resume : nil,
            before: segment.number == 0 ? nil : shape)
    }

    private func encodeStage(_ segment: Segment, from frames: BoundedQueue<Frame>) -> EncodeStage {
        EncodeStage(
            encoder: stages.encoder, plan: plan, encoding: encoding, segment: segment, input: frames, output: output,
            ledger: ledger,
            resume: segment.number == 0 ? resume : nil)
    }
}
