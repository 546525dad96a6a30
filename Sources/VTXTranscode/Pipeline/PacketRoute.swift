import VTXFFmpeg
import VTXMedia

/// Puts each packet on the output's clock and passes it on.
struct PacketRoute {
    private let stage: DemuxStage
    private let plans: [Int: StreamPlan]
    private let offsets: [Int: Int64]
    private var repair = ClockRepair()
    private var lateStreams: Set<Int> = []
    /// Seconds at which the last packet of each copied stream begins.
    private var lastTimes: [Int: Double] = [:]
    private var ending: SourceEnding
    /// Streams that have passed the end that was asked for.
    private var ended: Set<Int> = []
    private let mustEnd: Set<Int>
    private var isFarBehindEnd = false

    init(_ stage: DemuxStage) throws {
        self.stage = stage
        plans = Dictionary(uniqueKeysWithValues: stage.plan.streams.map { ($0.source.index, $0) })
        offsets = plans.mapValues { stage.plan.clock.offset.rescaled(to: $0.source.timeBase).ticks }
        ending = SourceEnding(stage.source, isWhole: stage.plan.clock.isWhole)
        // Subtitles may never reach the end; picture and sound do.
        mustEnd = Set(
            stage.plan.streams.filter {
                !$0.isDropped && !$0.source.isCoverArt && ($0.source.kind == .video || $0.source.kind == .audio)
            }.map(\.source.index))
    }

    /// Nothing that may still come belongs into the output.
    var isDone: Bool { stage.plan.clock.end != nil && (mustEnd.isSubset(of: ended) || isFarBehindEnd) }

    mutating func take(_ packet: Packet) throws {
        guard let plan = plans[packet.streamIndex] else { return noteLateStream(packet.streamIndex) }
        guard !plan.isDropped else { return }
        if packet.isCorrupt { stage.damage.countUnreadable() }
        ending.note(packet)
        if !plan.source.isCoverArt { putOnClock(packet, plan.source.kind) }
        noteEnd(of: packet)
        switch plan.action {
        case .encodeVideo: try stage.video.push(packet)
        case .copy: try copy(packet, plan)
        case .convertAudio, .convertSubtitle: try stage.converters[packet.streamIndex]?.push(packet)
        case .drop: break
        }
    }

    /// The output's header lists the streams, so one that begins in mid-file comes too late.
    private mutating func noteLateStream(_ index: Int) {
        if lateStreams.insert(index).inserted { stage.damage.noteLateStream(index) }
    }

    mutating func noteEnd() {
        if let message = ending.message { stage.damage.sourceEndedEarly(message) }
    }

    private mutating func putOnClock(_ packet: Packet, _ kind: StreamKind) {
        packet.shift(by: -(offsets[packet.streamIndex] ?? 0))
        guard stage.source.demuxer.clockMayJump, let time = packet.dts ?? packet.pts else { return }
        var shift = repair.newest
        // Sound and pictures never pause for long; subtitles do, and say nothing of the clock.
        if kind == .audio || kind == .video {
            let seconds = MediaTime(time, packet.timeBase).seconds
            let duration = MediaTime(packet.duration, packet.timeBase).seconds
            let repaired = repair.observe(stream: packet.streamIndex, seconds: seconds, duration: duration)
            if repaired.isJump { stage.damage.countClockJump() }
            shift = repaired.shift
        }
        packet.shift(by: MediaTime(seconds: shift).rescaled(to: packet.timeBase).ticks)
    }

    private mutating func noteEnd(of packet: Packet) {
        guard let end = stage.plan.clock.end, let time = packet.dts ?? packet.pts else { return }
        let seconds = MediaTime(time, packet.timeBase).seconds
        if seconds >= end { ended.insert(packet.streamIndex) }
        if seconds > end + 10 { isFarBehindEnd = true }
    }

    private mutating func copy(_ packet: Packet, _ plan: StreamPlan) throws {
        guard let index = plan.outputIndex, !stage.isAttached(plan) else { return }
        if !plan.source.isCoverArt {
            guard isPlausible(packet), stage.plan.clock.admits(packet, of: plan.source.kind) else { return }
        }
        try stage.output.push(.packet(packet, stream: index))
    }

    /// A leap over days is a damaged number, and would move the end of the file there.
    private mutating func isPlausible(_ packet: Packet) -> Bool {
        guard let seconds = packet.presentationTime?.seconds else { return true }
        if let last = lastTimes[packet.streamIndex], abs(seconds - last) > DecodeStage.longestLeap {
            stage.damage.countUnreadable()
            return false
        }
        lastTimes[packet.streamIndex] = seconds
        return true
    }
}
