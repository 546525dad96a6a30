import VTXFFmpeg
import VTXMedia
import VTXTask

/// What was asked for by --start and --duration, on the output's clock.
extension TimestampOffset {
    /// The file is transcoded from its beginning to its end.
    var isWhole: Bool { start == nil && end == nil }

    func contains(_ seconds: Double) -> Bool { seconds >= start ?? -.infinity && seconds < end ?? .infinity }

    /// Whether a packet belongs into the output. A cue is cut for that: one that is on the screen at the start begins
    /// there, one that would stay there longer than the output lasts ends with it.
    ///
    /// A packet that does not say its time is for the muxer to judge.
    func admits(_ packet: Packet, of kind: StreamKind) -> Bool {
        guard let time = packet.presentationTime else { return true }
        // A cue that does not say how long it lasts is only known to be there when it begins.
        guard kind == .subtitle, packet.duration > 0, !isWhole else { return contains(time.seconds) }
        return cut(packet, from: time.ticks)
    }

    /// - Returns: false where nothing of it is left.
    private func cut(_ packet: Packet, from pts: Int64) -> Bool {
        let (last, overflow) = pts.addingReportingOverflow(packet.duration)
        guard !overflow else { return contains(MediaTime(pts, packet.timeBase).seconds) }
        let (from, to) = (max(pts, ticks(start, packet) ?? pts), min(last, ticks(end, packet) ?? last))
        guard from < to else { return false }
        packet.shift(by: from - pts)
        packet.duration = to - from
        return true
    }

    private func ticks(_ seconds: Double?, _ packet: Packet) -> Int64? {
        seconds.map { MediaTime(seconds: $0).rescaled(to: packet.timeBase).ticks }
    }
}
