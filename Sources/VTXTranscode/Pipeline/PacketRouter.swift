import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Normalizes the timestamps of each packet and routes it to the decoder, to converters and to the output.
struct PacketRouter {
    private enum Destination {
        case encode
        case copyVideo(output: Int)
        /// - strips: Whether packets lose their ADTS headers.
        case copy(output: Int, strips: Bool)
        case convert(BoundedQueue<Packet>)
    }

    private struct Route {
        let source: StreamInfo
        /// Several if the output has several streams of this one.
        var destinations: [Destination] = []
        /// The packets that the normalizer holds.
        var held: [Packet] = []
        var hasShown = false
    }

    private let stage: DemuxStage
    private let range: OutputRange
    /// By the source's stream index; nil for a dropped stream.
    private var routes: [Route?]
    private var normalizer: TimestampNormalizer
    /// The position in the source, in seconds of the output.
    private(set) var position = -Double.infinity
    private var truncation: TruncationCheck?
    private var lateStreams: Set<Int> = []
    /// By the source's stream index: the video, or other video streams beside it.
    private var copiedVideos: [Int: CopiedVideo] = [:]
    /// nil if copied packets of the video stay as they are.
    private var parameterSets: CopiedParameterSets?
    /// nil if the decoder gets everything.
    private var gate: ResumeGate<Packet>?

    init(_ stage: DemuxStage) {
        self.stage = stage
        range = stage.plan.timestamps
        routes = Array(repeating: nil, count: (stage.plan.streams.map(\.source.index).max() ?? -1) + 1)
        let plans = stage.plan.streams.filter { !$0.isDropped }
        for plan in plans {
            var route = routes[plan.source.index] ?? Route(source: plan.source)
            if let destination = Self.destination(of: plan, in: stage) { route.destinations.append(destination) }
            routes[plan.source.index] = route
        }
        let timelines = plans.filter { !$0.source.isCoverArt && $0.source.file == nil }.map {
            ($0.source.index, StreamTimeline($0))
        }
        normalizer = TimestampNormalizer(
            Dictionary(timelines) { first, _ in first }, offset: -range.offset.seconds, end: range.end,
            hasDiscontinuities: stage.source.demuxer.hasDiscontinuities)
        // Of several files, the source looks at each.
        truncation = stage.source.isJoined ? nil : TruncationCheck(stage.source, isWhole: range.isWhole)
        for plan in plans where plan.copiesVideo {
            copiedVideos[plan.source.index] = CopiedVideo(stage.plan, stream: plan.source.index)
        }
        parameterSets = CopiedParameterSets(stage.plan, stage.source.video)
        gate = stage.resumeGate
    }

    /// nil if the stream's packets are not needed.
    private static func destination(of plan: StreamPlan, in stage: DemuxStage) -> Destination? {
        guard let output = plan.outputIndex else { return nil }
        switch plan.action {
        case .encodeVideo: return .encode
        case _ where stage.isSegment: return nil
        case .copy where stage.isAttached(plan): return nil
        case .copy where plan.copiesVideo: return .copyVideo(output: output)
        case .copy:
            return .copy(output: output, strips: stage.plan.stripsHeaders(of: plan.source, from: stage.source))
        case .convertAudio, .convertSubtitle: return stage.converters[output].map { .convert($0) }
        case .drop: return nil
        }
    }

    /// Whether nothing that follows is part of the output.
    var isDone: Bool {
        stage.video?.isDone ?? false
            || normalizer.hasEnded && (stage.video != nil || copiedVideos[mainIndex]?.hasEnded ?? false)
    }

    private var mainIndex: Int { stage.plan.video.source.index }

    mutating func take(_ packet: Packet) throws {
        let index = packet.streamIndex
        truncation?.note(packet)
        guard routes.indices.contains(index) else { return noteLateStream(index) }
        guard let route = routes[index] else { return }
        if packet.isCorrupt || packet.isEncrypted { stage.damage.countUnreadable() }
        if route.source.isCoverArt { return try passOn(packet, route) }
        routes[index]?.held.append(packet)
        try passOn(normalizer.take(PacketTimes(packet), of: index), index)
    }

    /// Routes a packet of a separate file, whose timestamps are final.
    mutating func take(_ packet: Packet, of index: Int) throws {
        if let route = routes[index] { try passOn(packet, route) }
    }

    /// Routes the remaining packets at the end of the source.
    mutating func finish() throws {
        for index in routes.indices { try passOn(normalizer.finish(index), index) }
        for packet in gate?.finish() ?? [] { try stage.video?.push(packet) }
        try stage.video?.finish()
        // The process that joins the segments reports on the source as a whole.
        if stage.isSegment { return }
        for (index, video) in copiedVideos where index != mainIndex && !video.hasBegun {
            stage.damage.noteEmptyVideo(index)
        }
        stage.damage.countDiscontinuities(normalizer.discontinuities)
        stage.damage.countInvalidTimestamps(normalizer.outliers)
        // The source may continue after the last packet, for example with an index.
        if range.isWhole { try? stage.source.piped?.drain() }
        let messages = stage.source.missingEnds + [truncation?.message].compactMap(\.self)
        messages.forEach(stage.damage.sourceEndedEarly)
    }

    /// Notes a stream that begins in mid-file, which is too late for the output's header.
    private mutating func noteLateStream(_ index: Int) {
        if lateStreams.insert(index).inserted { stage.damage.noteLateStream(index) }
    }

    private mutating func passOn(_ settled: [PacketTimes], _ index: Int) throws {
        for times in settled {
            guard let packet = routes[index]?.held.removeFirst(), let route = routes[index] else { return }
            (packet.pts, packet.dts, packet.duration) = (times.pts, times.dts, times.duration)
            if let time = packet.decodingTime ?? packet.presentationTime { position = max(position, time.seconds) }
            try passOn(packet, route)
            if !times.isHidden { routes[index]?.hasShown = true }
        }
    }

    private mutating func passOn(_ packet: Packet, _ route: Route) throws {
        for destination in route.destinations.dropLast() {
            try passOn(packet.reference(), to: destination, route)
        }
        if let last = route.destinations.last { try passOn(packet, to: last, route) }
    }

    private mutating func passOn(_ packet: Packet, to destination: Destination, _ route: Route) throws {
        switch destination {
        case .encode: try decode(packet)
        case .convert(let queue): try queue.push(packet)
        case .copyVideo(let output):
            let index = route.source.index
            guard index == mainIndex || !isLate(packet, route) else { return }
            for packet in try copiedVideos[index]?.take(packet) ?? [] {
                let complete = index == mainIndex ? try parameterSets?.complete(packet) : nil
                try stage.output.push(.packet(complete ?? packet, stream: output))
            }
        case .copy(let output, let strips):
            guard isPart(packet, route) else { return }
            try stage.output.push(.packet(strips ? packet.withoutADTSHeader() : packet, stream: output))
        }
    }

    private mutating func decode(_ packet: Packet) throws {
        guard let video = stage.video else { return }
        if stage.work?.isJoin ?? false, let time = packet.decodingTime ?? packet.presentationTime {
            try stage.output.push(.advance(to: time))
        }
        guard let resume = stage.resume else { return try video.push(packet) }
        let dts = packet.decodingTime
        if let time = dts ?? packet.presentationTime, time.seconds <= resume.last.seconds {
            try stage.output.push(.advance(to: time))
        }
        let ready = gate?.take(
            packet, pts: packet.presentationTime?.seconds, dts: dts?.seconds, isRandomAccess: packet.isKeyFrame)
        for packet in ready ?? [packet] { try video.push(packet) }
    }

    /// Whether a copied packet is part of the output.
    private func isPart(_ packet: Packet, _ route: Route) -> Bool {
        route.source.isCoverArt || !isLate(packet, route) && range.trim(packet, of: route.source.kind)
    }

    /// Whether a packet is hidden where no edit list of the output would hide it: those have only a beginning.
    private func isLate(_ packet: Packet, _ route: Route) -> Bool {
        guard packet.isHidden else { return false }
        return route.hasShown || route.source.kind == .video && !ContainerRules.of(stage.plan.container).hasEditLists
    }
}

extension StreamPlan {
    fileprivate var copiesVideo: Bool { action == .copy && source.kind == .video && !source.isCoverArt }
}

extension StreamTimeline {
    init(_ plan: StreamPlan) {
        let kind: Kind =
            switch (plan.source.kind, plan.action) {
            case (.video, .encodeVideo): .decodedVideo
            case (.video, _): .copiedVideo
            case (.audio, _): .audio
            default: .sparse
            }
        self.init(
            kind, timeBase: plan.source.timeBase, wrapBits: plan.source.wrapBits,
            frameRate: plan.source.averageFrameRate)
    }
}
