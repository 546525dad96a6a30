import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// A segment of the video, from a random access point on, that is decoded, filtered and encoded independently.
final class Segment: Sendable {
    /// Its index in the video.
    let number: Int
    /// Whether this process works on it.
    let isOwn: Bool
    /// The display time of its first frame, in the source's ticks; nil for the first segment.
    let start: Int64?
    /// Its packets. Because they are small, as many may wait as a segment usually has.
    let packets: BoundedQueue<Packet>
    private let next = Locked<Int64?>(nil)

    init(_ number: Int = 0, from start: Int64? = nil, capacity: Int, isOwn: Bool = true) {
        (self.number, self.start, self.isOwn) = (number, start, isOwn)
        packets = BoundedQueue(capacity: capacity)
    }

    func push(_ packet: Packet) throws { if isOwn { try packets.push(packet) } }

    /// The display time of the next segment's first frame; nil for the last segment. Known once the packets have ended.
    var end: Int64? {
        get { next.withLock { $0 } }
        set { next.withLock { $0 = newValue } }
    }
}

/// The stages of one rendition: filter, encoder, and destination.
struct RenditionStages: Sendable {
    /// The stream's index in the pipeline.
    let stream: Int
    let encoding: VideoEncoding
    let stages: OpenedStages
    let ledger: OutputLedger
}

/// Decodes, filters and encodes segments in sequence.
struct VideoLane: Sendable {
    let plan: TranscodePlan
    let encoding: VideoEncoding
    let stages: OpenedStages
    /// The smaller renditions, each made from the frames of the previous one; empty for a single output.
    var lower: [RenditionStages] = []
    let source: InputStream
    /// The format of the source's first frames.
    let shape: FrameFormat
    let output: any SegmentConsumer
    let damage: InputErrorReport
    let ledger: OutputLedger
    /// The end of an earlier run; nil for the beginning.
    let resume: ResumePoint?

    private var sessions: StageSessions { stages.sessions }

    /// Works on a segment, then on the next ones until there are no more.
    ///
    /// - Parameter number: The number of the lane.
    func run(from first: Segment, _ segments: SegmentQueue, as number: Int, in group: ThreadGroup) throws {
        var next: Segment? = first
        while let segment = next {
            ledger.note(lane: number, of: segment.number)
            try run(segment, in: group)
            stages.decoder.reset()
            next = try segments.next(for: number)
        }
    }

    func run(_ segment: Segment, in group: ThreadGroup) throws {
        let threads = ThreadGroup()
        threads.onStop { segment.packets.cancel() }
        group.onStop { [weak threads] in threads?.stop(because: QueueCancelled()) }
        start(segment, in: threads)
        try threads.wait()
        // With the pipeline: the cause is another thread's.
        if threads.isStopped { throw QueueCancelled() }
    }

    /// Starts the stages; the caller waits for the group.
    func start(_ segment: Segment, in group: ThreadGroup) {
        stages.begin(at: quality(of: segment))
        let first = RenditionStages(stream: plan.videoIndex, encoding: encoding, stages: stages, ledger: ledger)
        var frames: (any UnitConsumer<Frame>)?
        let metadata = DynamicMetadata(source, encoding)
        for rendition in ([first] + lower).reversed() {
            frames = start(rendition, of: segment, with: metadata, feeding: frames, in: group)
        }
        guard let frames else { return }
        var decode = decodeStage(segment, into: frames)
        decode.metadata = metadata
        group.run("decode") { [sessions, decode] in try sessions.attributingFailures(.decode) { try decode.run() } }
    }

    /// nil if all segments have the same.
    private func quality(of segment: Segment) -> Quality? {
        let start = segment.start.map { MediaTime($0, plan.video.source.timeBase) } ?? resume?.last
        return encoding.segmentQualities.quality(at: start)
    }

    /// Starts the filter and the encoder of one rendition.
    ///
    /// - Parameter next: Another consumer of its filtered frames; nil for none.
    /// - Returns: the consumer of frames for its filter.
    private func start(
        _ rendition: RenditionStages, of segment: Segment, with metadata: DynamicMetadata?,
        feeding next: (any UnitConsumer<Frame>)?, in group: ThreadGroup
    ) -> any UnitConsumer<Frame> {
        let (stages, sessions) = (rendition.stages, rendition.stages.sessions)
        let depth = sessions.usesHardware ? sessions.queueDepth : Self.memoryDepth
        let unfiltered = BoundedQueue<Frame>(capacity: depth)
        let filtered = BoundedQueue<Frame>(capacity: depth)
        group.onStop {
            unfiltered.cancel()
            filtered.cancel()
        }
        let filter = FilterStage(
            filter: stages.filter, sessions: sessions,
            output: next.map { FrameSplitter(outputs: [filtered, $0]) } ?? filtered,
            damage: rendition.encoding.filter.custom == nil ? nil : damage)
        var encode = encodeStage(rendition, of: segment, from: filtered)
        encode.metadata = metadata
        group.run("encode") { [encode, mode = stages.encoder.mode] in
            try sessions.attributingFailures(.encode, in: mode) { try encode.run() }
        }
        if sessions.filtersOnArrival { return filter }
        group.run("filter") { try filter.run(on: unfiltered) }
        return unfiltered
    }

    /// The depth of the queue for frames in memory: one is enough to even out, and few stay in the cache.
    private static let memoryDepth = 1

    private func decodeStage(_ segment: Segment, into frames: any UnitConsumer<Frame>) -> DecodeStage {
        let frameDuration = MediaTime.rescale(
            1, from: encoding.filter.sourceFrameRate.reciprocal, to: plan.video.source.timeBase)
        return DecodeStage(
            decoder: stages.decoder, segment: segment, output: frames, range: plan.timestamps,
            frameDuration: frameDuration, damage: damage, resume: segment.number == 0 ? resume : nil,
            before: segment.number == 0 ? nil : shape)
    }

    private func encodeStage(
        _ rendition: RenditionStages, of segment: Segment, from frames: BoundedQueue<Frame>
    ) -> EncodeStage {
        EncodeStage(
            encoder: rendition.stages.encoder, plan: plan, encoding: rendition.encoding, stream: rendition.stream,
            segment: segment, input: frames, output: output, ledger: rendition.ledger,
            resume: segment.number == 0 ? resume : nil)
    }
}

/// A consumer of the segments' encoded output.
protocol SegmentConsumer: Sendable {
    /// - Parameter isUrgent: Whether to pass it to the output immediately.
    func push(_ message: OutputMessage, isUrgent: Bool, of segment: Segment) throws
    /// Ends the output of a segment.
    func finish(_ segment: Segment) throws
}

/// The output itself, if the whole video is one segment.
extension BoundedQueue: SegmentConsumer where Element == OutputMessage {
    func push(_ message: OutputMessage, isUrgent: Bool, of segment: Segment) throws {
        try push(message, isUrgent: isUrgent)
    }

    func finish(_ segment: Segment) { finish() }
}
