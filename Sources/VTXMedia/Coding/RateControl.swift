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

    /// nil outside 0...100. VideoToolbox's 0.7 is 70.
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

/// A leaky bucket: what a decoder with a buffer of this size, filled at this rate, can follow
/// (H.264 Annex C; encoders call it VBV).
package struct VBV: Sendable, Hashable {
    /// Bits per second.
    package var bitrate: Int
    /// Bits.
    package var bufferSize: Int

    package init(bitrate: Int, bufferSize: Int) {
        self.bitrate = bitrate
        self.bufferSize = bufferSize
    }
}

extension EncoderConfiguration {
    /// The bucket that keeps every limit that was set; nil where there is none.
    package var vbv: VBV? {
        let buckets = limits.map(VBV.init(keeping:))
        guard let bitrate = buckets.map(\.bitrate).min(), let size = buckets.map(\.bufferSize).min() else { return nil }
        return VBV(bitrate: bitrate, bufferSize: size)
    }

    /// Bits per second, never more than the limits let through; nil where quality decides.
    package var averageBitrate: Int? {
        guard case .bitrate(let average, _) = rateControl else { return nil }
        return min(average, vbv?.bitrate ?? average)
    }

    private var limits: [DataRateLimit] {
        dataRateLimits + (rateControl.max.map { [DataRateLimit(byteCount: $0 / 8, seconds: 1)] } ?? [])
    }
}

extension VBV {
    /// The part of a limit that flows; the rest is the bucket, which key frames need. Measured with x264 and x265: less
    /// starves what moves, more starves key frames, and either costs quality.
    package static let flowing = 0.7

    /// Through a bucket of S bits filled at R bits a second, T seconds pass R * T + S bits at most.
    init(keeping limit: DataRateLimit) {
        let allowed = 8 * Double(min(limit.byteCount, 1 << 40))
        bitrate = max(1, Int(Self.flowing * allowed / max(limit.seconds, 1e-3)))
        bufferSize = max(1, Int((1 - Self.flowing) * allowed))
    }
}
