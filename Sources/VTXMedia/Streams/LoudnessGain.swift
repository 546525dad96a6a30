/// The loudness of audio (EBU R 128).
package struct MeasuredLoudness: Sendable, Hashable, Codable {
    /// The integrated loudness, in LUFS; nil for silence, and for audio shorter than a gating block of 0.4 s.
    package var integrated: Double?
    /// In dBTP.
    package var truePeak: Double

    package init(integrated: Double?, truePeak: Double) {
        self.integrated = integrated
        self.truePeak = truePeak
    }
}

/// A gain that brings audio to a loudness: linear, with a true peak limiter if it would exceed the allowed peak.
package struct LoudnessGain: Sendable, Hashable, Codable {
    /// The loudness of the audio without the gain.
    package var measured: MeasuredLoudness
    /// In dB.
    package var decibels: Double
    /// nil if no limiter is needed.
    package var limited: MeasuredLoudness?

    /// - Parameter limited: The loudness after the limiter; nil for a linear gain.
    package init(measured: MeasuredLoudness, decibels: Double, limited: MeasuredLoudness? = nil) {
        self.measured = measured
        self.decibels = decibels
        self.limited = limited
    }
}
