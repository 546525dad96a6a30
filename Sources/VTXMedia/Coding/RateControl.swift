/// How many bits a stream may take.
public enum RateControl: Sendable, Hashable {
    /// Constant quality; the size follows from the content. `max` is the most bits that any one second may take.
    case quality(Quality, max: Int? = nil)
    /// An average in bits per second, and the most bits that any one second may take.
    case bitrate(average: Int, max: Int?)

    /// The most bits that any second may take, wherever it begins; nil for no limit.
    public var max: Int? {
        switch self {
        case .quality(_, let max), .bitrate(_, let max): max
        }
    }
}

extension RateControl: Codable {
    private enum Key: CodingKey {
        case quality
        case bitrate
        case maxBitrate
    }

    /// `{"quality": 70}` or `{"bitrate": 5000000}`, with `"maxBitrate": 8000000` where there is a limit.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let max = try container.decodeIfPresent(Int.self, forKey: .maxBitrate)
        if let quality = try container.decodeIfPresent(Quality.self, forKey: .quality) {
            self = .quality(quality, max: max)
        } else {
            self = .bitrate(average: try container.decode(Int.self, forKey: .bitrate), max: max)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .quality(let quality, _): try container.encode(quality, forKey: .quality)
        case .bitrate(let average, _): try container.encode(average, forKey: .bitrate)
        }
        try container.encodeIfPresent(max, forKey: .maxBitrate)
    }
}

/// One scale of quality for all codecs and backends: 0 (worst) to 100 (transparent for any eye).
///
/// | quality | x264 CRF | x265 CRF | SVT-AV1 CRF |
/// | ---: | ---: | ---: | ---: |
/// | 100 | 11 | 14 | 6 |
/// | 80 | 19 | 22 | 22 |
/// | 70 | 23 | 26 | 30 |
/// | 60 | 27 | 30 | 38 |
/// | 0 | 51 | 51 | 63 |
///
/// A step of 10 is 4 CRF or QP, 8 of SVT-AV1's, about 1.6 times the size.
public struct Quality: Sendable, Hashable {
    public let value: Double

    /// 70: CRF 23 of x264, which is x264's own default.
    public static let standard = Quality(unchecked: 70)

    /// nil outside 0...100.
    public init?(_ value: Double) {
        guard (0...100).contains(value) else { return nil }
        self.init(unchecked: value)
    }

    private init(unchecked value: Double) { self.value = value }

    /// The rate factor, and for drivers without one the QP, that stands for this quality.
    public func rateFactor(for codec: VideoCodec) -> Double {
        switch codec {
        case .h264: 51 - 0.4 * value
        case .hevc: min(51, 54 - 0.4 * value)
        case .av1: min(63, 86 - 0.8 * value)
        }
    }
}

/// The most bytes that any stretch of this many seconds may take, wherever it begins (VideoToolbox: an entry of
/// `kVTCompressionPropertyKey_DataRateLimits`).
public struct DataRateLimit: Sendable, Hashable, Codable {
    public var byteCount: Int
    public var seconds: Double

    public init(byteCount: Int, seconds: Double) {
        self.byteCount = byteCount
        self.seconds = seconds
    }
}
