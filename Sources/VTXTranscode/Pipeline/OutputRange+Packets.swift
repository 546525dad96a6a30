import VTXFFmpeg
import VTXMedia
import VTXTask

extension OutputRange {
    /// Whether a packet is part of the output. Subtitle cues are trimmed: one that is shown at the start begins there,
    /// and one that would last longer than the output ends with it.
    ///
    /// A packet without a timestamp is left to the muxer.
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
