import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// The first stage: reads the file, and routes each packet with a `PacketRouter`.
struct DemuxStage: Sendable {
    let source: Source
    let plan: TranscodePlan
    /// The decoder's queue, or a splitter into segments; nil if the video is copied.
    let video: (any UnitConsumer<Packet>)?
    /// Converters by the output's stream index.
    let converters: [Int: BoundedQueue<Packet>]
    let output: BoundedQueue<OutputMessage>
    let damage: InputErrorReport
    /// nil if nothing is written.
    var ledger: OutputLedger?
    /// The end of an earlier run; nil for the beginning.
    let resume: ResumePoint?
    /// nil if this process does all the work.
    var work: SegmentedWork?

    /// Whether this process encodes a segment. The other streams are then read, so that all processes have the same
    /// timestamps, and dropped.
    var isSegment: Bool { work?.isSegment ?? false }

    func run() throws {
        let kept = selectStreams()
        try seekToStart()
        if !isSegment { try openCopies() }
        var route = PacketRouter(self)
        for cue in plan.timestamps.seekTarget.map({ source.earlierCues(before: $0, of: kept) }) ?? [] {
            try route.take(cue)
        }
        var added = AddedPackets(source, plan, damage)
        var reader = PacketReader(damage)
        while !route.isDone, let packet = reader.next(source.read) {
            let fraction = source.fraction(at: packet)
            try route.take(packet)
            if let fraction { ledger?.noteSource(fraction, at: route.position) }
            try added.advance(to: route.position, &route)
        }
        damage.countUnreadable(source.skippedDamageCount)
        try route.finish()
        try added.advance(to: .infinity, &route)
        converters.values.forEach { $0.finish() }
        output.finish()
    }

    /// - Returns: the streams of the output.
    private func selectStreams() -> Set<Int> {
        let kept = Set(plan.streams.filter { !$0.isDropped }.map(\.source.index))
        if !plan.timestamps.isWhole || !TruncationCheck.needsAllStreams(source) { source.keepOnly(kept) }
        return kept
    }

    private func seekToStart() throws(TranscodeError) {
        guard let target = plan.timestamps.seekTarget else { return }
        do throws(FFmpegError) { try source.seek(to: target) } catch {
            throw TranscodeError.seek(in: plan.input, error)
        }
    }
}

extension DemuxStage {
    var resumeGate: ResumeGate<Packet>? {
        // Where timestamps are derived by counting frames, none can be skipped.
        resume.map { ResumeGate(resume: $0.last.seconds, skips: !source.countsFrames && !$0.sawDamage) }
    }
}
