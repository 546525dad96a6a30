import VTXMedia

/// Takes jumps out of a transport stream's clock: recordings that were joined, a clock that was set.
///
/// Pure: the times of sound and pictures in, the shift to add out. Around a jump, streams pass from the old clock to
/// the new one at different packets, so each stream has the shift that keeps it going, and a new one is shared: sound
/// and picture stay together.
struct ClockRepair: Sendable {
    /// Seconds by which a stream may leap forward without anything being wrong: a gap.
    static let forwardLimit = 10.0
    /// Seconds by which it may step back: durations are rounded. Decoding times never go back.
    static let backwardLimit = 0.3

    private struct Stream {
        var shift: Double
        /// Where its last packet ended, repaired.
        var end: Double
        /// What these would be without the last leap, of the clock or over a gap. A single damaged time leaps there and
        /// back, to the very same place.
        var unleapt: (shift: Double, end: Double)?

        func isBack(at seconds: Double) -> Bool {
            unleapt.map { abs(seconds + $0.shift - $0.end) < ClockRepair.backwardLimit } ?? false
        }

        mutating func advance(to seconds: Double, shift new: Double, duration: Double) {
            let isLeap = new != shift || abs(seconds + new - end) >= ClockRepair.backwardLimit
            if isLeap { unleapt = isBack(at: seconds) ? nil : (shift, end) }
            unleapt?.end += duration
            (shift, end) = (new, seconds + new + duration)
        }
    }

    private var streams: [Int: Stream] = [:]
    /// The shift of the newest clock.
    private(set) var newest = 0.0

    /// - Returns: the seconds to add to this packet's times, and whether a new clock began with it.
    mutating func observe(stream: Int, seconds: Double, duration: Double) -> (shift: Double, isJump: Bool) {
        let previous = streams[stream]
        let shift = previous.map { next(after: $0, at: seconds, of: stream) } ?? newest
        let isJump = previous != nil && shift != previous?.shift && shift != newest
        if isJump { newest = shift }
        streams[stream, default: Stream(shift: shift, end: seconds + shift)]
            .advance(to: seconds, shift: shift, duration: duration)
        return (shift, isJump)
    }

    private func next(after previous: Stream, at seconds: Double, of stream: Int) -> Double {
        for shift in [previous.shift, newest] where continues(previous, at: seconds + shift) { return shift }
        if let unleapt = previous.unleapt, previous.isBack(at: seconds) { return unleapt.shift }
        // A leap that another stream has made too, packet by packet, is a hole in this one, not a jump of the clock.
        let time = seconds + previous.shift
        let others = streams.filter { $0.key != stream }.values
        if time > previous.end, others.contains(where: { $0.end > time - Self.forwardLimit }) { return previous.shift }
        return previous.end - seconds
    }

    private func continues(_ previous: Stream, at time: Double) -> Bool {
        (-Self.backwardLimit...Self.forwardLimit).contains(time - previous.end)
    }
}
