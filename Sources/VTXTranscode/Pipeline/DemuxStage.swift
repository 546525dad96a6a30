import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// The first stage: reads the file and gives each packet to whom it belongs.
struct DemuxStage: Sendable {
    let source: Source
    let plan: TranscodePlan
    let video: SegmentFeed
    /// Converters by the source's stream index.
    let converters: [Int: BoundedQueue<Packet>]
    let output: BoundedQueue<OutputMessage>
    let damage: InputErrorReport
    /// Where an earlier run ended; nil at the beginning.
    let resume: ResumePoint?

    /// Read errors in a row after which the rest of a file is given up.
    private static let maxConsecutiveErrors = 32

    func run() throws {
        try openCopies()
        var route = PacketRouter(self)
        var errors = 0
        while !route.isDone {
            let packet: Packet?
            do {
                packet = try source.read()
                errors = 0
            } catch {
                damage.countUnreadable()
                errors += 1
                if errors < Self.maxConsecutiveErrors { continue }
                break
            }
            guard let packet else { break }
            try route.take(packet)
        }
        try route.finish()
        converters.values.forEach { $0.finish() }
        output.finish()
    }

    private func openCopies() throws {
        if !plan.timestamps.isWhole || !TruncationCheck.needsAllStreams(source) {
            source.keepOnly(Set(plan.streams.filter { !$0.isDropped }.map(\.source.index)))
        }
        if let target = plan.timestamps.seekTarget {
            do { try source.seek(to: target) } catch {
                throw TranscodeError(.inputSeek, "'\(plan.input)' cannot be sought in: \(error)")
            }
        }
        for stream in plan.streams {
            guard case .copy = stream.action, let index = stream.outputIndex, let input = source.stream(stream.source)
            else { continue }
            let description =
                isAttached(stream)
                ? try StreamDescriptions.attachment(plan, input)
                : StreamDescriptions.copy(plan, input, source.demuxer)
            try output.push(.open(stream: index, description))
        }
    }
}

extension DemuxStage {
    var resumeGate: ResumeGate<Packet>? {
        // Where frames are counted, all of them count.
        resume.map { ResumeGate(resume: $0.last.seconds, skips: !source.countsFrames && !$0.sawDamage) }
    }

    /// The container takes the picture in its header, so its packet is not written.
    func isAttached(_ stream: StreamPlan) -> Bool {
        stream.source.isCoverArt && ContainerRules.of(plan.container).coverArtIsAttached
    }
}
