import VTXMedia

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
