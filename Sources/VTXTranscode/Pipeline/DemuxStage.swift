import VTXFFmpeg
import VTXMedia

/// The first stage: reads the file and gives each packet to whom it belongs.
struct DemuxStage: Sendable {
    let source: Source
    let plan: TranscodePlan
    let video: BoundedQueue<Packet>
    /// Converters by the source's stream index.
    let converters: [Int: BoundedQueue<Packet>]
    let output: BoundedQueue<OutputMessage>
    let damage: SourceDamage

    /// Read errors in a row after which the rest of a file is given up.
    private static let patience = 32

    func run() throws {
        try openCopies()
        var route = try PacketRoute(self)
        var errors = 0
        while !route.isDone {
            let packet: Packet?
            do {
                packet = try source.read()
                errors = 0
            } catch {
                damage.countUnreadable()
                errors += 1
                if errors < Self.patience { continue }
                break
            }
            guard let packet else { break }
            try route.take(packet)
        }
        route.noteEnd()
        video.finish()
        converters.values.forEach { $0.finish() }
        output.finish()
    }

    private func openCopies() throws {
        let wanted = plan.streams.filter { !$0.isDropped }.map(\.source.index)
        source.keepOnly(Set(wanted))
        if let target = plan.clock.seekTarget {
            do { try source.seek(to: target) } catch {
                throw TranscodeError(.input, "input.seek", "'\(plan.input)' cannot be sought in: \(error)")
            }
        }
        for stream in plan.streams {
            guard case .copy = stream.action, let index = stream.outputIndex else { continue }
            let description =
                isAttached(stream)
                ? try StreamDescriptions.attachment(plan, stream.source)
                : StreamDescriptions.copy(plan, stream.source, source.demuxer)
            try output.push(.open(stream: index, description))
        }
    }
}

extension DemuxStage {
    /// The container takes the picture in its header, so its packet is not written.
    fileprivate func isAttached(_ stream: StreamPlan) -> Bool {
        stream.source.isCoverArt && ContainerRules.of(plan.container).coverArtIsAttached
    }
}

/// Puts each packet on the output's clock and passes it on.
private struct PacketRoute {
    private let stage: DemuxStage
    private let plans: [Int: StreamPlan]
    private let offsets: [Int: Int64]
    private var repair = ClockRepair()
    private var ending: SourceEnding
    /// Streams that have passed the end that was asked for.
    private var ended: Set<Int> = []
    private let mustEnd: Set<Int>
    private var isFarBehindEnd = false

    init(_ stage: DemuxStage) throws {
        self.stage = stage
        plans = Dictionary(uniqueKeysWithValues: stage.plan.streams.map { ($0.source.index, $0) })
        offsets = plans.mapValues { stage.plan.clock.offset.rescaled(to: $0.source.timeBase).ticks }
        ending = SourceEnding(stage.source, isWhole: stage.plan.clock.seekTarget == nil && stage.plan.clock.end == nil)
        // Subtitles may never reach the end; picture and sound do.
        mustEnd = Set(
            stage.plan.streams.filter {
                !$0.isDropped && !$0.source.isCoverArt && ($0.source.kind == .video || $0.source.kind == .audio)
            }.map(\.source.index))
    }

    /// Nothing that may still come belongs into the output.
    var isDone: Bool { stage.plan.clock.end != nil && (mustEnd.isSubset(of: ended) || isFarBehindEnd) }

    mutating func take(_ packet: Packet) throws {
        guard let plan = plans[packet.streamIndex], !plan.isDropped else { return }
        if packet.isCorrupt { stage.damage.countUnreadable() }
        ending.note(packet)
        if !plan.source.isCoverArt { putOnClock(packet) }
        noteEnd(of: packet)
        switch plan.action {
        case .encodeVideo: try stage.video.push(packet)
        case .copy: try copy(packet, plan)
        case .convertAudio, .convertSubtitle: try stage.converters[packet.streamIndex]?.push(packet)
        case .drop: break
        }
    }

    mutating func noteEnd() {
        if let message = ending.message { stage.damage.sourceEndedEarly(message) }
    }

    private mutating func putOnClock(_ packet: Packet) {
        var shift = -(offsets[packet.streamIndex] ?? 0)
        if stage.source.demuxer.clockMayJump, let time = packet.dts ?? packet.pts {
            let seconds = MediaTime(time, packet.timeBase).seconds
            let duration = MediaTime(packet.duration, packet.timeBase).seconds
            if repair.observe(stream: packet.streamIndex, seconds: seconds, duration: duration) {
                stage.damage.countClockJump()
            }
            shift += MediaTime(seconds: repair.shift).rescaled(to: packet.timeBase).ticks
        }
        packet.shift(by: shift)
    }

    private mutating func noteEnd(of packet: Packet) {
        guard let end = stage.plan.clock.end, let time = packet.dts ?? packet.pts else { return }
        let seconds = MediaTime(time, packet.timeBase).seconds
        if seconds >= end { ended.insert(packet.streamIndex) }
        if seconds > end + 10 { isFarBehindEnd = true }
    }

    private func copy(_ packet: Packet, _ plan: StreamPlan) throws {
        guard let index = plan.outputIndex, !stage.isAttached(plan) else { return }
        if !plan.source.isCoverArt, let seconds = packet.presentationTime?.seconds {
            if let start = stage.plan.clock.start, seconds < start { return }
            if let end = stage.plan.clock.end, seconds >= end { return }
        }
        try stage.output.push(.packet(packet, stream: index))
    }
}
