/// The rate control of an encoder.
public enum RateControl: Sendable, Hashable {
    /// Constant quality; the file size depends on the content. `max` limits the bits in any one second.
    case quality(Quality, max: Int? = nil)
    /// An average bit rate, in bits per second. `max` limits the bits in any one second.
    case bitrate(average: Int, max: Int?)

    /// The maximum number of bits in any one second; nil for no limit.
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

    /// Decodes `{"quality": 70}` or `{"bitrate": 5000000}`, with `"maxBitrate": 8000000` if there is a limit.
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

/// A quality scale for all codecs and backends, from 0 (worst) to 100 (visually transparent).
///
/// | quality | x264 CRF | x265 CRF | SVT-AV1 CRF |
/// | ---: | ---: | ---: | ---: |
/// | 100 | 11 | 14 | 6 |
/// | 80 | 19 | 22 | 22 |
/// | 70 | 23 | 26 | 30 |
/// | 60 | 27 | 30 | 38 |
/// | 0 | 51 | 51 | 63 |
///
/// Ten steps are 4 CRF or QP (8 for SVT-AV1), about 1.6 times the size.
public struct Quality: Sendable, Hashable {
    public let value: Double

    /// 70, which is CRF 23 in x264, its own default.
    public static let standard = Quality(unchecked: 70)

    /// Creates a quality; nil outside 0...100. VideoToolbox's 0.7 is 70.
    public init?(_ value: Double) {
        guard (0...100).contains(value) else { return nil }
        self.init(unchecked: value)
    }

    private init(unchecked value: Double) { self.value = value }

    /// Returns the CRF for this quality, or the QP for drivers without a CRF.
    public func rateFactor(for codec: VideoCodec) -> Double {
        switch codec {
        case .h264: 51 - 0.4 * value
        case .hevc: min(51, 54 - 0.4 * value)
        case .av1: min(63, 86 - 0.8 * value)
        }
    }
}

/// The maximum number of bytes in any interval of this length (VideoToolbox: an entry of
/// `kVTCompressionPropertyKey_DataRateLimits`).
public struct DataRateLimit: Sendable, Hashable, Codable {
    public var byteCount: Int
    public var seconds: Double

    public init(byteCount: Int, seconds: Double) {
        self.byteCount = byteCount
        self.seconds = seconds
    }
}

/// A leaky bucket: the buffer of a decoder, which fills at a constant rate (H.264 Annex C). Encoders call it VBV.
package struct VBV: Sendable, Hashable {
    /// In bits per second.
    package var bitrate: Int
    /// In bits.
    package var bufferSize: Int

    package init(bitrate: Int, bufferSize: Int) {
        self.bitrate = bitrate
        self.bufferSize = bufferSize
    }
}

extension EncoderConfiguration {
    /// The bucket that satisfies all limits, and the level; nil if there are none.
    package var vbv: VBV? {
        let buckets = limits.map(VBV.init(keeping:)) + [levelLimits?.vbv].compactMap(\.self)
        guard let bitrate = buckets.map(\.bitrate).min(), let size = buckets.map(\.bufferSize).min() else { return nil }
        return VBV(bitrate: bitrate, bufferSize: size)
    }

    /// The average bit rate, in bits per second, capped by the limits; nil for constant quality.
    package var averageBitrate: Int? {
        guard case .bitrate(let average, _) = rateControl else { return nil }
        return min(average, vbv?.bitrate ?? average)
    }

    private var limits: [DataRateLimit] {
        dataRateLimits + (rateControl.max.map { [DataRateLimit(byteCount: $0 / 8, seconds: 1)] } ?? [])
    }
}

extension VBV {
    /// The fraction of a limit that is the bucket's rate. The rest is its size, which key frames need. Measured with
    /// x264 and x265: a lower value starves motion, a higher one starves key frames, and both reduce quality.
    package static let flowing = 0.7

    /// A bucket of S bits that fills at R bits per second passes at most R * T + S bits in T seconds.
    init(keeping limit: DataRateLimit) {
        let allowed = 8 * Double(min(limit.byteCount, 1 << 40))
        bitrate = max(1, Int(Self.flowing * allowed / max(limit.seconds, 1e-3)))
        bufferSize = max(1, Int((1 - Self.flowing) * allowed))
    }
}
