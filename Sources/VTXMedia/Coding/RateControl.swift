/// How many bits a stream may take.
public enum RateControl: Sendable, Hashable {
    /// Constant quality; the size follows from the content.
    case quality(Quality)
    /// An average in bits per second, and the most that one second may take.
    case bitrate(average: Int, max: Int?)
}

extension RateControl: Codable {
    private enum Key: CodingKey {
        case quality
        case bitrate
        case maxBitrate
    }

    /// `{"quality": 70}`, or `{"bitrate": 5000000, "maxBitrate": 8000000}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let quality = try container.decodeIfPresent(Quality.self, forKey: .quality) {
            self = .quality(quality)
        } else {
            self = .bitrate(
                average: try container.decode(Int.self, forKey: .bitrate),
                max: try container.decodeIfPresent(Int.self, forKey: .maxBitrate))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .quality(let quality): try container.encode(quality, forKey: .quality)
        case .bitrate(let average, let max):
            try container.encode(average, forKey: .bitrate)
            try container.encodeIfPresent(max, forKey: .maxBitrate)
        }
    }
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
