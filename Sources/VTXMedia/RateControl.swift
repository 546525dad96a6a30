/// How many bits a stream may take.
public enum RateControl: Sendable, Hashable {
    /// Constant quality; the size follows from the content.
    case quality(Quality)
    /// An average in bits per second, and the most that one second may take.
    case bitrate(average: Int, max: Int?)
}

/// One scale of quality for all codecs and backends: 0 (worst) to 100 (transparent for any eye).
///
/// | quality | x264 CRF | x265 CRF |
/// | ---: | ---: | ---: |
/// | 100 | 11 | 14 |
/// | 80 | 19 | 22 |
/// | 70 | 23 | 26 |
/// | 60 | 27 | 30 |
/// | 0 | 51 | 51 |
///
/// A step of 10 is 4 CRF or QP, about 1.6 times the size.
public struct Quality: Sendable, Hashable {
    public let value: Double

    /// nil outside 0...100.
    public init?(_ value: Double) {
        guard (0...100).contains(value) else { return nil }
        self.value = value
    }

    /// The rate factor, and for drivers without one the QP, that stands for this quality.
    public func rateFactor(for codec: VideoCodec) -> Double {
        let base = codec == .h264 ? 51.0 : 54.0
        return min(51, base - 0.4 * value)
    }
}
