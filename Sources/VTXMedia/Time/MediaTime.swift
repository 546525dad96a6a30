/// A time or duration of `ticks` units, each `timeBase` seconds long (CoreMedia: `CMTime`).
public struct MediaTime: Sendable, Hashable, Codable {
    public var ticks: Int64
    public var timeBase: Rational

    public init(_ ticks: Int64, _ timeBase: Rational) {
        self.ticks = ticks
        self.timeBase = timeBase
    }

    public static let microseconds = Rational(1, 1_000_000)

    /// Creates a time from seconds, rounded to the microsecond. Saturates at 146,000 years; NaN becomes zero.
    public init(seconds: Double) {
        self.init(MediaTime.nearest(seconds * 1_000_000), MediaTime.microseconds)
    }

    static func nearest(_ ticks: Double) -> Int64 {
        let limit = Double(Int64(1) << 62)
        return ticks.isNaN ? 0 : Int64(min(max(ticks.rounded(), -limit), limit))
    }

    public var seconds: Double {
        Double(ticks) * Double(timeBase.numerator) / Double(timeBase.denominator)
    }

    /// Returns the time in another time base, rounded to the nearest tick, halves away from zero (C: `av_rescale_q`).
    public func rescaled(to other: Rational) -> MediaTime {
        MediaTime(MediaTime.rescale(ticks, from: timeBase, to: other), other)
    }

    /// Converts `ticks` of `source` to ticks of `target`, rounded to the nearest, halves away from zero. Saturates.
    public static func rescale(_ ticks: Int64, from source: Rational, to target: Rational) -> Int64 {
        if source == target { return ticks }
        let (factor, isFactorTooLarge) = Int64(source.numerator).multipliedReportingOverflow(
            by: Int64(target.denominator))
        let (divisor, isDivisorTooLarge) = Int64(source.denominator).multipliedReportingOverflow(
            by: Int64(target.numerator))
        guard divisor != 0 || isDivisorTooLarge else { return 0 }
        if isFactorTooLarge || isDivisorTooLarge { return nearest(Double(ticks) * source.value / target.value) }
        let product = ticks.magnitude.multipliedFullWidth(by: factor.magnitude)
        let half = divisor.magnitude / 2
        let (low, carry) = product.low.addingReportingOverflow(half)
        let high = product.high + (carry ? 1 : 0)
        guard high < divisor.magnitude else { return ticks < 0 ? .min : .max }
        let magnitude = divisor.magnitude.dividingFullWidth((high, low)).quotient
        guard magnitude <= UInt64(Int64.max) else { return ticks < 0 ? .min : .max }
        return ticks < 0 ? -Int64(magnitude) : Int64(magnitude)
    }
}

/// A fraction, as containers store frame rates, aspect ratios and time bases (C: `AVRational`).
public struct Rational: Sendable, Hashable {
    public var numerator: Int
    public var denominator: Int

    public init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The value as a number; NaN or infinite if the denominator is 0.
    public var value: Double { Double(numerator) / Double(denominator) }

    /// Whether numerator and denominator are positive, as for a rate, a ratio or a time base.
    public var isPositive: Bool { numerator > 0 && denominator > 0 }

    /// The fraction with numerator and denominator swapped: the duration of a frame for a frame rate.
    public var reciprocal: Rational { Rational(denominator, numerator) }

    /// The duration of a frame at this rate, in seconds; 0 if the rate is unknown.
    package var frameSeconds: Double { isPositive ? reciprocal.value : 0 }
}

extension Rational: CustomStringConvertible {
    /// `24` or `30000/1001`.
    public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

extension Rational {
    /// Parses `30`, `29.97`, `30000/1001` or `16:9`; nil for anything else, and for values that are not positive.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: text.contains(":") ? ":" : "/", omittingEmptySubsequences: false)
        if parts.count == 2, let numerator = Int(parts[0]), let denominator = Int(parts[1]) {
            self.init(numerator, denominator)
        } else if parts.count == 1, let whole = Int(text) {
            self.init(whole, 1)
        } else if parts.count == 1, let value = Double(text), value.isFinite, value > 0, value < 1_000_000 {
            self = Rational.broadcast(near: value) ?? Rational(Int((value * 1000).rounded()), 1000)
        } else {
            return nil
        }
        guard isPositive, numerator < Int(Int32.max), denominator < Int(Int32.max) else { return nil }
    }

    /// The NTSC rate n * 1000/1001 for 23.976, 29.97, 59.94 and the like, which are rounded to three digits.
    private static func broadcast(near value: Double) -> Rational? {
        let base = value.rounded(.up)
        return abs(value - base * 1000 / 1001) < 0.005 && base != value ? Rational(Int(base) * 1000, 1001) : nil
    }
}

extension Rational: ExpressibleByIntegerLiteral {
    /// Creates a whole number: `30` for 30 frames per second.
    public init(integerLiteral value: Int) { self.init(value, 1) }
}
