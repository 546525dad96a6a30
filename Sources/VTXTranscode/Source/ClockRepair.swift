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

    /// Seconds after which a stream that has leapt will not come back: one damaged time moves a packet of the transport
    /// stream, and that may hold a second of sound.
    static let memory = 1.5

    private struct Stream {
        var shift: Double
        /// Where its last packet ended, repaired.
        var end: Double
        /// What these would be without the last leap, of the clock or over a gap; nil where that was long ago. A damaged
        /// time leaps there and back.
        var unleapt: (shift: Double, end: Double)?
        private var sinceLeap = 0.0

        init(shift: Double, end: Double) { (self.shift, self.end) = (shift, end) }

        mutating func advance(to seconds: Double, shift new: Double, duration: Double) {
            let time = seconds + new
            if new != shift || abs(time - end) >= ClockRepair.backwardLimit {
                let isBack = new == unleapt?.shift && (new != shift || time < end)
                unleapt = isBack ? nil : (shift, end)
                sinceLeap = 0
            }
            unleapt?.end += duration
            // Not every packet says how long it is.
            sinceLeap += max(duration, 0.01)
            if sinceLeap > ClockRepair.memory { unleapt = nil }
            (shift, end) = (new, time + duration)
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
        let others = streams.filter { $0.key != stream }.values
        if let unleapt = previous.unleapt, isBack(seconds + unleapt.shift - unleapt.end, unleapt.shift, others) {
            return unleapt.shift
        }
        for shift in [previous.shift, newest] where continues(previous, at: seconds + shift) { return shift }
        // A leap that another stream has made too, packet by packet, is a hole in this one, not a jump of the clock.
        let time = seconds + previous.shift
        if time > previous.end, others.contains(where: { $0.end > time - Self.forwardLimit }) { return previous.shift }
        return previous.end - seconds
    }

    /// To the very same place; or, where packets were lost as well, to the clock that another stream still has.
    private func isBack(_ ahead: Double, _ shift: Double, _ others: some Sequence<Stream>) -> Bool {
        abs(ahead) < Self.backwardLimit
            || (-Self.backwardLimit...Self.forwardLimit).contains(ahead) && others.contains { $0.shift == shift }
    }

    private func continues(_ previous: Stream, at time: Double) -> Bool {
        (-Self.backwardLimit...Self.forwardLimit).contains(time - previous.end)
    }
}
