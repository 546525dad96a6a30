/// A fraction, as containers write frame rates, aspect ratios and time bases (C: `AVRational`).
public struct Rational: Sendable, Hashable {
    public var numerator: Int
    public var denominator: Int

    public init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The value as a number; not a number when the denominator is 0.
    public var value: Double { Double(numerator) / Double(denominator) }

    /// True for a fraction that can serve as a rate, a ratio or a time base.
    public var isPositive: Bool { numerator > 0 && denominator > 0 }

    /// The same value, numerator and denominator swapped: a frame rate becomes a frame's duration.
    public var reciprocal: Rational { Rational(denominator, numerator) }
}

extension Rational: CustomStringConvertible {
    /// `24` or `30000/1001`.
    public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

extension Rational {
    /// Reads `30`, `29.97`, `30000/1001` or `16:9`; nil for anything else and for values that are not positive.
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

    /// 23.976, 29.97, 59.94 ...: people write three digits and mean n * 1000/1001.
    private static func broadcast(near value: Double) -> Rational? {
        let base = value.rounded(.up)
        return abs(value - base * 1000 / 1001) < 0.005 && base != value ? Rational(Int(base) * 1000, 1001) : nil
    }
}

extension Rational: ExpressibleByIntegerLiteral {
    /// A whole number: `30` frames a second.
    public init(integerLiteral value: Int) { self.init(value, 1) }
}
