extension FilterConfiguration.Deinterlacing {
    /// How often pictures come out of frames that come at a rate.
    package func rate(from source: Rational) -> Rational {
        switch self {
        case .never, .flaggedFrames, .everyFrame: source
        case .everyField: Rational(2 * source.numerator, source.denominator).reduced
        case .telecine: Pulldown(of: source)?.progressive ?? source
        }
    }

    /// Pictures that come out of each.
    package var pictureCount: Int { self == .everyField ? 2 : 1 }

    /// A unit in which all of them have their times.
    package func timeBase(from source: Rational, frameRate: Rational) -> Rational {
        switch self {
        case .never, .flaggedFrames, .everyFrame: return source
        case .everyField: return Rational(source.numerator, 2 * source.denominator).reduced
        case .telecine: return Rational(1, rate(from: frameRate).numerator)
        }
    }
}

/// 3:2 pulldown: 24 frames a second, shown in 60 fields; each frame in two or three of them.
package struct Pulldown: Sendable, Hashable {
    /// Of the frames that the fields lie in.
    package let interlaced: Rational
    /// Of the frames that they were made of.
    package let progressive: Rational

    /// nil for a rate that the pulldown does not have.
    ///
    /// Where decoders are told to repeat fields, frames come less often than they are shown, as often as the 24 at least.
    package init?(of rate: Rational) {
        guard (23.9...30.02).contains(rate.value), !(24.9...25.1).contains(rate.value) else { return nil }
        let isWhole = rate.value > 29.985 || rate == Rational(24, 1)
        interlaced = isWhole ? Rational(30, 1) : Rational(30000, 1001)
        progressive = isWhole ? Rational(24, 1) : Rational(24000, 1001)
    }
}

extension Rational {
    /// The same value in the smallest numbers.
    fileprivate var reduced: Rational {
        var (large, small) = (numerator, denominator)
        while small != 0 { (large, small) = (small, large % small) }
        return large > 1 ? Rational(numerator / large, denominator / large) : self
    }
}
