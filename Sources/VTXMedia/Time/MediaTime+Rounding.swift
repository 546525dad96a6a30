extension MediaTime {
    /// Returns the time in units of a timescale (CoreMedia: `CMTimeConvertScale`).
    ///
    /// - Parameters:
    ///   - timescale: The number of units per second; above 0.
    ///   - rule: How a time between two units is rounded (`CMTimeRoundingMethod`). By default to the nearest unit,
    ///     halves away from zero.
    public func converted(
        toTimescale timescale: Int32, rounding rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) -> MediaTime {
        rescaled(to: Rational(1, Int(timescale)), rounding: rule)
    }

    /// Returns the time in another time base, rounded by the rule. Saturates. An invalid time stays as it is.
    public func rescaled(to other: Rational, rounding rule: FloatingPointRoundingRule) -> MediaTime {
        guard isValid else { return self }
        let (factor, isFactorTooLarge) = Int128(timeBase.numerator).multipliedReportingOverflow(
            by: Int128(other.denominator))
        let (product, isProductTooLarge) = Int128(ticks).multipliedReportingOverflow(by: factor)
        let divisor = Int128(timeBase.denominator) * Int128(other.numerator)
        guard !isFactorTooLarge, !isProductTooLarge, divisor > 0 else { return rescaled(to: other) }
        return MediaTime(Int64(clamping: product.divided(by: divisor, rule)), other)
    }
}

extension Int128 {
    /// - Parameter divisor: Above 0.
    fileprivate func divided(by divisor: Int128, _ rule: FloatingPointRoundingRule) -> Int128 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        guard remainder != 0 else { return quotient }
        let away = self < 0 ? quotient - 1 : quotient + 1
        let rest = remainder.magnitude
        let (toOther, isHalf) = (divisor.magnitude - rest, rest == divisor.magnitude - rest)
        switch rule {
        case .towardZero: return quotient
        case .awayFromZero: return away
        case .up: return self < 0 ? quotient : away
        case .down: return self < 0 ? away : quotient
        case .toNearestOrEven:
            return isHalf ? (quotient.isMultiple(of: 2) ? quotient : away) : rest > toOther ? away : quotient
        case .toNearestOrAwayFromZero: return rest >= toOther ? away : quotient
        @unknown default: return rest >= toOther ? away : quotient
        }
    }
}
