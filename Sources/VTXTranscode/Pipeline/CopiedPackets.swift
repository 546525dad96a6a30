import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

extension DemuxStage {
    func openCopies() throws {
        for stream in plan.streams {
            guard case .copy = stream.action, let index = stream.outputIndex, let input = source.stream(stream.source)
            else { continue }
            let description =
                isAttached(stream)
                ? try StreamDescriptions.attachment(plan, stream, input)
                : try StreamDescriptions.copy(plan, stream, input, source)
            try output.push(.open(stream: index, description))
        }
    }

    /// Whether the container stores the stream as cover art in its header, so that its packet is not written.
    func isAttached(_ stream: StreamPlan) -> Bool {
        stream.source.isCoverArt && ContainerRules.of(plan.container).coverArtIsAttached
    }
}

/// Selects the packets of copied video for the output: each one together with everything it refers to.
struct CopiedVideo {
    private let plan: TranscodePlan
    private let stream: Int
    private(set) var hasBegun = false
    /// The latest frame so far, in display order.
    private var last: MediaTime?
    /// The end of that frame.
    private var end: MediaTime?
    private(set) var hasEnded = false
    private var hasShown = false
    /// Packets that the source's edit list hides after others that it shows. A frame that is shown may refer to them.
    private var hidden: [Packet] = []
    private var hasDropped = false
    /// The number of frames that decoders hold to reorder them (H.264 A.3.1, H.265 A.4.2).
    private static let maxReordering = 16

    /// - Parameter stream: The index of the source's stream.
    init(_ plan: TranscodePlan, stream: Int) { (self.plan, self.stream) = (plan, stream) }

    /// Takes every packet in order. What an edit list hides at the end of the source is left out, because no container
    /// would hide it again.
    ///
    /// - Returns: the packets that become part of the output by now.
    /// - Throws: `input.noTimestamps`, `output.editList`.
    mutating func take(_ packet: Packet) throws(TranscodeError) -> [Packet] {
        guard try admits(packet) else { return [] }
        if packet.isHidden, hasShown {
            if !hasDropped { hidden.append(packet) }
            if hidden.count > Self.maxReordering { (hidden, hasDropped) = ([], true) }
            return []
        }
        if hasDropped, !packet.isKeyFrame { throw .hiddenInside(plan.input, stream: stream) }
        hasShown = hasShown || !packet.isHidden
        guard !hidden.isEmpty || hasDropped else { return [packet] }
        defer { (hidden, hasDropped) = ([], false) }
        return hidden + [packet]
    }

    /// Whether a packet is within the output's range.
    private mutating func admits(_ packet: Packet) throws(TranscodeError) -> Bool {
        guard let time = packet.presentationTime else {
            throw .noTimestamps(plan.input, stream: stream)
        }
        let range = plan.timestamps
        // A frame that is decoded after the first key frame and shown before it refers to what is left out.
        guard packet.isHidden && range.start == nil || range.hasBegun(at: time) else { return false }
        hasBegun = hasBegun || packet.isKeyFrame
        guard hasBegun, !isBeyond(time) else { return false }
        note(time, duration: packet.duration)
        return true
    }

    /// Frames shown before the end may refer to frames shown after it. The output therefore ends with the first frame
    /// that is not followed by a frame shown earlier.
    private mutating func isBeyond(_ time: MediaTime) -> Bool {
        if let last, let end, time.ticks > last.ticks, plan.timestamps.isOver(at: end) { hasEnded = true }
        return hasEnded
    }

    private mutating func note(_ time: MediaTime, duration: Int64) {
        guard time.ticks > last?.ticks ?? .min else { return }
        last = time
        end = MediaTime(time.ticks + duration, time.timeBase)
    }
}

extension OutputRange {
    /// Trims a subtitle cue to the output: one that is shown at the start begins there, and one that would last longer
    /// than the output ends with it.
    ///
    /// - Returns: whether the packet is part of the output. One without a timestamp is left to the muxer.
    func trim(_ packet: Packet, of kind: StreamKind) -> Bool {
        guard isPart(packet, of: kind) else { return false }
        // Some encoders of VobSub write 2^32 ms for a cue without an end, which muxers reject.
        if kind == .subtitle, MediaTime(packet.duration, packet.timeBase).seconds > Self.endless { packet.duration = 0 }
        return true
    }

    /// In seconds: eleven days.
    private static let endless = 1e6

    private func isPart(_ packet: Packet, of kind: StreamKind) -> Bool {
        guard let time = packet.presentationTime else { return true }
        if packet.isHidden, kind == .audio {
            let duration = MediaTime(packet.duration, packet.timeBase).seconds
            guard time.seconds + duration > origin - Self.preroll else { return false }
        }
        // A cue that does not say how long it lasts is only known to be there when it begins.
        guard kind == .subtitle, packet.duration > 0, !isWhole || packet.isHidden else { return contains(time) }
        return cut(packet, at: time)
    }

    /// - Returns: false if nothing is left of it.
    private func cut(_ packet: Packet, at time: MediaTime) -> Bool {
        let (last, overflow) = time.ticks.addingReportingOverflow(packet.duration)
        guard !overflow else { return contains(time) }
        let start = packet.isHidden ? max(start ?? origin, origin) : start
        let (from, to) = (max(time.ticks, ticks(start, time) ?? .min), min(last, ticks(end, time) ?? .max))
        guard from < to else { return false }
        packet.shift(by: from - time.ticks)
        packet.duration = to - from
        return true
    }
}
