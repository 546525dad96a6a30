import VTXMedia

/// A leaky bucket: what a decoder with a buffer of so many bits, filled at so many bits a second, can follow
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
        var peaks = dataRateLimits.map { VBV(keeping: $0, average: averageBitrate) }
        // One second, the window that limits are usually given over.
        if case .bitrate(_, let max?) = rateControl { peaks.append(VBV(bitrate: max, bufferSize: max)) }
        guard let bitrate = peaks.map(\.bitrate).min(), let size = peaks.map(\.bufferSize).min() else { return nil }
        return VBV(bitrate: bitrate, bufferSize: size)
    }

    /// Bits per second, never more than the vbv lets through; nil where quality decides.
    package var averageBitrate: Int? {
        guard case .bitrate(let average, _) = rateControl else { return nil }
        return dataRateLimits.reduce(average) { min($0, VBV(keeping: $1, average: nil).bitrate) }
    }
}

extension VBV {
    /// Through a bucket of S bits filled at R bits a second, T seconds pass R * T + S bits at most.
    ///
    /// Most of what the limit allows beyond the average goes into the bucket: key frames need it. A twentieth is kept
    /// back, because encoders miss their aim by that.
    init(keeping limit: DataRateLimit, average: Int?) {
        let allowed = 0.95 * 8 * Double(min(limit.byteCount, 1 << 40))
        let rate = allowed / max(limit.seconds, 1e-3)
        let least = min(Double(average ?? 0), 0.75 * rate)
        let bitrate = average == nil ? 0.75 * rate : least + (rate - least) / 4
        self.bitrate = max(1, Int(bitrate))
        bufferSize = max(1, Int(allowed - bitrate * limit.seconds))
    }
}
