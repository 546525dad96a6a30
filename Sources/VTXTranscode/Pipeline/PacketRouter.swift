import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Puts each packet on the output's clock and passes it on.
struct PacketRouter {
    private let stage: DemuxStage
    private let clock: TimestampOffset
    private let clockMayJump: Bool
    /// By the source's stream index; nil for one that is dropped.
    private var routes: [StreamRoute?]
    private var repair = ClockRepair()
    private var lateStreams: Set<Int> = []
    private var truncation: TruncationCheck
    /// Steady streams that have not passed the end that was asked for.
    private var unended: Int
    private var isFarBehindEnd = false

    init(_ stage: DemuxStage) {
        self.stage = stage
        clock = stage.plan.clock
        clockMayJump = stage.source.demuxer.clockMayJump
        routes = Array(repeating: nil, count: (stage.plan.streams.map(\.source.index).max() ?? -1) + 1)
        for plan in stage.plan.streams where !plan.isDropped {
            routes[plan.source.index] = StreamRoute(plan, in: stage)
        }
        truncation = TruncationCheck(stage.source, isWhole: clock.isWhole)
        unended = routes.count { $0?.isContinuous ?? false }
    }

    /// Nothing that may still come belongs into the output.
    var isDone: Bool { clock.end != nil && (unended == 0 || isFarBehindEnd) }

    mutating func take(_ packet: Packet) throws {
        let index = packet.streamIndex
        guard routes.indices.contains(index) else { return noteLateStream(index) }
        guard let route = routes[index] else { return }
        if packet.isCorrupt { stage.damage.countUnreadable() }
        if !route.isCoverArt { putOnClock(packet, route) }
        guard route.doubt != nil else { return try passOn(packet, index) }
        let judged = routes[index]?.doubt?.take(packet, at: packet.pts, bytes: packet.byteCount)
        for packet in judged ?? [] { try passOn(packet, index) }
    }

    /// The source has ended.
    mutating func finish() throws {
        for index in routes.indices {
            for packet in routes[index]?.doubt?.finish() ?? [] { try passOn(packet, index) }
        }
        if let message = truncation.message { stage.damage.sourceEndedEarly(message) }
    }

    private mutating func passOn(_ judged: LeapDoubt<Packet>.Judged, _ index: Int) throws {
        if judged.isOutlier { giveNextTime(judged.unit, index) }
        try passOn(judged.unit, index)
    }

    private mutating func passOn(_ packet: Packet, _ index: Int) throws {
        guard let route = routes[index] else { return }
        if route.hasStrayed && route.isEncoded { packet.dts = nil }
        routes[index]?.expected = (packet.dts ?? packet.pts ?? route.expected).map { $0 + packet.duration }
        truncation.note(packet, offset: route.offset)
        noteEnd(of: packet, index)
        switch route.destination {
        case .encode: try stage.video.push(packet)
        case .copy(let output): try copy(packet, index, to: output)
        case .convert(let queue): try queue.push(packet)
        case .discard: break
        }
    }

    /// The output's header lists the streams, so one that begins in mid-file comes too late.
    private mutating func noteLateStream(_ index: Int) {
        if lateStreams.insert(index).inserted { stage.damage.noteLateStream(index) }
    }

    /// A picture that does not say its time gets the next one where it is shown, which is known only behind the
    /// decoder; everything else follows what came before it.
    private mutating func giveNextTime(_ packet: Packet, _ index: Int) {
        stage.damage.countRepairedTimestamp()
        routes[index]?.hasStrayed = true
        let next = routes[index].flatMap { $0.isEncoded ? nil : $0.expected }
        (packet.pts, packet.dts) = (next, next)
    }

    private mutating func putOnClock(_ packet: Packet, _ route: StreamRoute) {
        packet.shift(by: -route.offset)
        guard clockMayJump, let time = packet.dts ?? packet.pts else { return }
        var shift = repair.newest
        // A subtitle says nothing of the clock.
        if route.isContinuous {
            let seconds = MediaTime(time, packet.timeBase).seconds
            let duration = MediaTime(packet.duration, packet.timeBase).seconds
            let repaired = repair.observe(stream: packet.streamIndex, seconds: seconds, duration: duration)
            if repaired.isJump { stage.damage.countClockJump() }
            shift = repaired.shift
        }
        packet.shift(by: MediaTime(seconds: shift).rescaled(to: packet.timeBase).ticks)
    }

    private mutating func noteEnd(of packet: Packet, _ index: Int) {
        guard let end = clock.end, let time = packet.dts ?? packet.pts, let route = routes[index] else { return }
        let seconds = MediaTime(time, packet.timeBase).seconds
        guard seconds >= end else { return }
        routes[index]?.countBehindEnd += 1
        // Where only the times are known at which pictures are shown, some that are shown earlier may still come.
        let isEarly = packet.dts == nil && route.kind == .video && route.countBehindEnd < StreamRoute.reorderedPictures
        if isEarly { return }
        if route.isContinuous && seconds > end + 10 { isFarBehindEnd = true }
        guard !route.hasEnded else { return }
        routes[index]?.hasEnded = true
        if route.isContinuous { unended -= 1 }
    }

    private mutating func copy(_ packet: Packet, _ index: Int, to output: Int) throws {
        if let route = routes[index], !route.isCoverArt {
            guard isPlausible(packet, index), clock.admits(packet, of: route.kind) else { return }
        }
        try stage.output.push(.packet(packet, stream: output))
    }

    /// A leap over days is a damaged number, and would move the end of the file there.
    private mutating func isPlausible(_ packet: Packet, _ index: Int) -> Bool {
        guard let seconds = packet.presentationTime?.seconds else { return true }
        if let last = routes[index]?.lastTime, abs(seconds - last) > DecodeStage.longestLeap {
            stage.damage.countUnreadable()
            return false
        }
        routes[index]?.lastTime = seconds
        return true
    }
}
