package import VTXMedia

/// The time base in which a session counts, and the rule that times rise. Pure.
package struct MonotonicTimestamps: Sendable, Hashable {
    package let timeBase: Rational
    private var last: Int64?

    /// A time base in which the times of the first frame's time base are whole, and which is fine enough for others:
    /// 90 kHz at the least, as MPEG counts.
    package init(first: Rational) {
        timeBase = first.isPositive ? Self.refined(first) : Rational(1, 90_000)
    }

    private static func refined(_ base: Rational) -> Rational {
        let factor = Int(min((90_000 * base.value).rounded(.up), Double(Int32.max)))
        let (denominator, overflow) = base.denominator.multipliedReportingOverflow(by: max(1, factor))
        let fits = !overflow && denominator <= Int(Int32.max) && base.numerator <= Int(Int32.max)
        return fits ? Rational(base.numerator, denominator) : Rational(1, 90_000)
    }

    /// - Throws: `.badParameter` for a time that is none.
    package func ticks(_ time: MediaTime) throws(SessionError) -> Int64 {
        let ticks = time.rescaled(to: timeBase).ticks
        guard time.timeBase.isPositive, ticks.magnitude < 1 << 60 else {
            throw SessionError(.badParameter, "\(time.ticks) ticks of \(time.timeBase) s are no time")
        }
        return ticks
    }

    /// The same for a frame, which has to be later than all before it.
    package mutating func advance(to time: MediaTime) throws(SessionError) -> Int64 {
        let ticks = try ticks(time)
        if let last, ticks <= last {
            throw SessionError(
                .badParameter,
                "a frame at \(time.seconds) s comes after one at "
                    + "\(MediaTime(last, timeBase).seconds) s: presentation times must rise")
        }
        last = ticks
        return ticks
    }
}
