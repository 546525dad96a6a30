/// A point or a span in time: `ticks` of `timeBase` seconds each (CoreMedia: `CMTime`).
public struct MediaTime: Sendable, Hashable, Codable {
    public var ticks: Int64
    public var timeBase: Rational

    public init(_ ticks: Int64, _ timeBase: Rational) {
        self.ticks = ticks
        self.timeBase = timeBase
    }

    public static let microseconds = Rational(1, 1_000_000)

    /// A time in seconds, to the microsecond; saturates at 146,000 years, and zero stands for "not a number".
    public init(seconds: Double) {
        self.init(MediaTime.nearest(seconds * 1_000_000), MediaTime.microseconds)
    }

    private static func nearest(_ ticks: Double) -> Int64 {
        let limit = Double(Int64(1) << 62)
        return ticks.isNaN ? 0 : Int64(min(max(ticks.rounded(), -limit), limit))
    }

    public var seconds: Double {
        Double(ticks) * Double(timeBase.numerator) / Double(timeBase.denominator)
    }

    /// The same time in another time base, to the nearest tick, halves away from zero (C: `av_rescale_q`).
    public func rescaled(to other: Rational) -> MediaTime {
        MediaTime(MediaTime.rescale(ticks, from: timeBase, to: other), other)
    }

    /// `ticks` of `source` counted in `target`, to the nearest tick, halves away from zero; saturates.
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
