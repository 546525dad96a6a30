package import VTXMedia

/// The time base of a session, and the rule that timestamps increase. Pure.
package struct MonotonicTimestamps: Sendable, Hashable {
    package let timeBase: Rational
    private var last: Int64?

    /// Creates a time base that expresses the timestamps of the first frame exactly, and is fine enough for others: at
    /// least MPEG's 90 kHz.
    package init(first: Rational) {
        timeBase = first.isPositive ? Self.refined(first) : Rational(1, 90_000)
    }

    private static func refined(_ base: Rational) -> Rational {
        let factor = Int(min((90_000 * base.value).rounded(.up), Double(Int32.max)))
        let (denominator, overflow) = base.denominator.multipliedReportingOverflow(by: max(1, factor))
        let fits = !overflow && denominator <= Int(Int32.max) && base.numerator <= Int(Int32.max)
        return fits ? Rational(base.numerator, denominator) : Rational(1, 90_000)
    }

    /// - Throws: `.badParameter` for an invalid time.
    package func ticks(_ time: MediaTime) throws(SessionError) -> Int64 {
        let ticks = time.rescaled(to: timeBase).ticks
        guard time.timeBase.isPositive, ticks.magnitude < 1 << 60 else {
            throw SessionError(.badParameter, "\(time.ticks) ticks of \(time.timeBase) s are not a valid time")
        }
        return ticks
    }

    /// Like `ticks(_:)`, for a frame, which must be later than all previous ones.
    package mutating func advance(to time: MediaTime) throws(SessionError) -> Int64 {
        let ticks = try ticks(time)
        if let last, ticks <= last {
            throw SessionError(
                .badParameter,
                "a frame at \(time.seconds) s comes after one at "
                    + "\(MediaTime(last, timeBase).seconds) s: presentation times must increase")
        }
        last = ticks
        return ticks
    }
}
