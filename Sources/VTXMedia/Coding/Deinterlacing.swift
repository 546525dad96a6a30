extension FilterConfiguration.Deinterlacing {
    /// Returns the frame rate of the output for a source's frame rate.
    package func rate(from source: Rational) -> Rational {
        switch self {
        case .never, .flaggedFrames, .everyFrame: source
        case .everyField: Rational(2 * source.numerator, source.denominator).reduced
        case .telecine: Pulldown(of: source)?.progressive ?? source
        }
    }

    /// The number of output frames per input frame.
    package var pictureCount: Int { self == .everyField ? 2 : 1 }

    /// Returns a time base that expresses the timestamps of all output frames.
    package func timeBase(from source: Rational, frameRate: Rational) -> Rational {
        switch self {
        case .never, .flaggedFrames, .everyFrame: return source
        case .everyField: return Rational(source.numerator, 2 * source.denominator).reduced
        case .telecine: return Rational(1, rate(from: frameRate).numerator)
        }
    }
}

/// 3:2 pulldown: 24 frames per second shown in 60 fields, each frame in two or three of them.
package struct Pulldown: Sendable, Hashable {
    /// The rate of the interlaced frames.
    package let interlaced: Rational
    /// The rate of the progressive source frames.
    package let progressive: Rational

    /// Creates a pulldown for a frame rate; nil if the pulldown cannot have this rate.
    ///
    /// If decoders are to repeat fields, fewer frames are coded than shown, down to 24 per second.
    package init?(of rate: Rational) {
        guard (23.9...30.02).contains(rate.value), !(24.9...25.1).contains(rate.value) else { return nil }
        let isWhole = rate.value > 29.985 || rate == Rational(24, 1)
        interlaced = isWhole ? Rational(30, 1) : Rational(30000, 1001)
        progressive = isWhole ? Rational(24, 1) : Rational(24000, 1001)
    }
}

extension Rational {
    /// The same value in lowest terms.
    fileprivate var reduced: Rational {
        var (large, small) = (numerator, denominator)
        while small != 0 { (large, small) = (small, large % small) }
        return large > 1 ? Rational(numerator / large, denominator / large) : self
    }
}
