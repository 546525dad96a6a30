import VTXFFmpeg
import VTXMedia
import VTXTask

/// What is part of the output.
extension OutputRange {
    /// Seconds before its first sample that a decoder needs to get it right (RFC 7845 4.6: 80 ms; HE-AAC: 117 ms).
    static let preroll = 0.2

    /// The source is transcoded from its beginning to its end.
    var isWhole: Bool { start == nil && end == nil }

    /// Seconds of the output at which the source's time is zero. An edit list hides what is earlier.
    var origin: Double { -offset.seconds }

    /// Frames that the output will have; nil where its length is not known.
    func expectedFrames(at rate: Rational) -> Int? {
        rate.isPositive ? expectedSeconds.map { Int(($0 * rate.value).rounded()) } : nil
    }

    /// Both ends are rounded to the time's own ticks.
    func contains(_ time: MediaTime) -> Bool { hasBegun(at: time) && !isOver(at: time) }

    /// Whether the time is at the start of the range, or after it.
    func hasBegun(at time: MediaTime) -> Bool { time.ticks >= ticks(start, time) ?? .min }

    /// Whether the time is at the end of the range, or after it.
    func isOver(at time: MediaTime) -> Bool { ticks(end, time).map { time.ticks >= $0 } ?? false }

    private func ticks(_ seconds: Double?, _ time: MediaTime) -> Int64? {
        seconds.map { MediaTime(seconds: $0).rescaled(to: time.timeBase).ticks }
    }

    /// Whether a packet is part of the output. A cue is cut for that: one that is on the screen at the start begins
    /// there, one that would stay there longer than the output lasts ends with it.
    ///
    /// A packet without a time is for the muxer to judge.
    func admits(_ packet: Packet, of kind: StreamKind) -> Bool {
        guard let time = packet.presentationTime else { return true }
        if packet.isHidden, kind == .audio {
            let duration = MediaTime(packet.duration, packet.timeBase).seconds
            guard time.seconds + duration > origin - Self.preroll else { return false }
        }
        // A cue that does not say how long it lasts is only known to be there when it begins.
        guard kind == .subtitle, packet.duration > 0, !isWhole || packet.isHidden else { return contains(time) }
        return cut(packet, at: time)
    }

    /// - Returns: false where nothing of it is left.
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
