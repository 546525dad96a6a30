/// Times compare and add by value, whatever their time bases: 1/2 s equals 2/4 s (CoreMedia: `CMTimeCompare`,
/// `CMTimeAdd`).
///
/// A time whose time base is not positive is invalid, as `kCMTimeInvalid` is. Invalid times are equal to each other,
/// sort after all others, and make every sum invalid.
extension MediaTime: Comparable {
    /// Creates a time of `value / timescale` seconds (`CMTimeMake`).
    ///
    /// - Parameter timescale: The number of units per second; above 0.
    public init(value: Int64, timescale: Int32) { self.init(value, Rational(1, Int(timescale))) }

    /// Creates a time from seconds, rounded to the nearest unit (`CMTimeMakeWithSeconds`).
    ///
    /// - Parameter timescale: The number of units per second; above 0.
    public init(seconds: Double, timescale: Int32) {
        self.init(MediaTime.nearest(seconds * Double(timescale)), Rational(1, Int(timescale)))
    }

    public static let zero = MediaTime(0, Rational(1, 1))

    public var isValid: Bool { timeBase.isPositive }

    public static func == (left: MediaTime, right: MediaTime) -> Bool {
        guard left.isValid, right.isValid else { return left.isValid == right.isValid }
        return left.timeBase == right.timeBase ? left.ticks == right.ticks : left.fraction == right.fraction
    }

    public static func < (left: MediaTime, right: MediaTime) -> Bool {
        guard left.isValid, right.isValid else { return left.isValid && !right.isValid }
        if left.timeBase == right.timeBase { return left.ticks < right.ticks }
        let (one, other) = (left.fraction, right.fraction)
        let leftProduct = one.numerator.multipliedFullWidth(by: other.denominator)
        let rightProduct = other.numerator.multipliedFullWidth(by: one.denominator)
        return (leftProduct.high, leftProduct.low) < (rightProduct.high, rightProduct.low)
    }

    public func hash(into hasher: inout Hasher) {
        guard isValid else { return hasher.combine(false) }
        hasher.combine(fraction)
    }

    /// Seconds, in lowest terms.
    private struct Fraction: Hashable {
        var numerator: Int128
        var denominator: Int128
    }

    private var fraction: Fraction {
        let (numerator, denominator) = (Int128(ticks) * Int128(timeBase.numerator), Int128(timeBase.denominator))
        let divisor = greatestCommonDivisor(numerator.magnitude, denominator.magnitude)
        return Fraction(numerator: numerator / Int128(divisor), denominator: denominator / Int128(divisor))
    }
}

extension MediaTime: AdditiveArithmetic {
    /// Returns the sum in a time base that expresses both times. If that takes more than 31 bits, the sum is in the
    /// finer of their time bases, rounded to the nearest tick. Saturates.
    public static func + (left: MediaTime, right: MediaTime) -> MediaTime {
        combine(left, right) { $0.addingReportingOverflow($1) }
    }

    /// Returns the difference, in the time base of the sum.
    public static func - (left: MediaTime, right: MediaTime) -> MediaTime {
        combine(left, right) { $0.subtractingReportingOverflow($1) }
    }

    /// Returns the product (CoreMedia: `CMTimeMultiply`). Saturates.
    public static func * (time: MediaTime, factor: Int) -> MediaTime {
        let (product, isTooLarge) = time.ticks.multipliedReportingOverflow(by: Int64(factor))
        guard isTooLarge else { return MediaTime(product, time.timeBase) }
        return MediaTime((time.ticks < 0) == (factor < 0) ? .max : .min, time.timeBase)
    }

    public static prefix func - (time: MediaTime) -> MediaTime { zero - time }

    private static func combine(
        _ left: MediaTime, _ right: MediaTime,
        _ operation: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
    ) -> MediaTime {
        guard left.isValid else { return left }
        guard right.isValid else { return right }
        let base = left.timeBase.common(with: right.timeBase)
        let (one, other) = (left.rescaled(to: base).ticks, right.rescaled(to: base).ticks)
        let (result, isTooLarge) = operation(one, other)
        // An overflow saturates with the sign of the first operand.
        return MediaTime(isTooLarge ? (one < 0 ? .min : .max) : result, base)
    }
}

extension Rational {
    /// The coarsest time base that expresses both times; if that takes more than 31 bits, the finer of the two.
    fileprivate func common(with other: Rational) -> Rational {
        if self == other { return self }
        let denominator = Int128(denominator) * Int128(other.denominator)
        let numerator = greatestCommonDivisor(
            (Int128(self.numerator) * Int128(other.denominator)).magnitude,
            (Int128(other.numerator) * Int128(self.denominator)).magnitude)
        let divisor = greatestCommonDivisor(numerator, denominator.magnitude)
        guard let whole = Int32(exactly: numerator / divisor),
            let parts = Int32(exactly: denominator.magnitude / divisor)
        else { return value <= other.value ? self : other }
        return Rational(Int(whole), Int(parts))
    }
}

private func greatestCommonDivisor(_ left: UInt128, _ right: UInt128) -> UInt128 {
    var (left, right) = (left, right)
    while right != 0 { (left, right) = (right, left % right) }
    return left
}
