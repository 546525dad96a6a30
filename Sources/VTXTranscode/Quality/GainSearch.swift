import VTXMedia

/// Searches for the gain that brings audio to a loudness. Pure.
///
/// A linear gain follows from one measurement. If it would raise the true peak above the limit, peaks are limited, which
/// costs loudness, so more gain is tried until the limited audio has the loudness.
struct GainSearch: Sendable {
    /// Enough to be sure of 0.5 LU, after an encoder too.
    private static let tolerance = 0.2
    private static let maxTrials = 4
    /// A limiter that works hard returns little of a gain; less than this, in LU per dB, is not believed.
    private static let leastSlope = 0.3

    private let target: Double
    private var last: (gain: Double, loudness: Double)
    private var trials = 0
    /// What has come closest so far, or the gain to try.
    private(set) var gain: LoudnessGain
    /// The next gain to measure with the limiter; nil if the search is over.
    private(set) var next: LoudnessGain?

    /// - Parameters:
    ///   - target: In LUFS.
    ///   - truePeakLimit: In dBTP.
    ///   - measured: The audio without a gain.
    init(target: Int, truePeakLimit: Double, measured: MeasuredLoudness) {
        self.target = Double(target)
        let decibels = measured.integrated.map { Self.rounded(Double(target) - $0) } ?? 0
        last = (0, measured.integrated ?? 0)
        gain = LoudnessGain(measured: measured, decibels: decibels)
        guard measured.integrated != nil, measured.truePeak + decibels > truePeakLimit else { return }
        next = LoudnessGain(measured: measured, decibels: decibels, limited: measured)
    }

    /// - Parameter reached: The loudness with the next gain and the limiter.
    mutating func note(_ reached: MeasuredLoudness) {
        guard var tried = next, let loudness = reached.integrated else { return next = nil }
        tried.limited = reached
        if isCloser(tried) { gain = tried }
        trials += 1
        guard abs(target - loudness) > Self.tolerance, trials < Self.maxTrials else { return next = nil }
        let step = tried.decibels - last.gain
        let slope = step == 0 ? 1 : min(1, max(Self.leastSlope, (loudness - last.loudness) / step))
        last = (tried.decibels, loudness)
        next?.decibels = Self.rounded(tried.decibels + (target - loudness) / slope)
    }

    private func isCloser(_ tried: LoudnessGain) -> Bool {
        guard let best = gain.limited?.integrated, let loudness = tried.limited?.integrated else { return true }
        return abs(target - loudness) < abs(target - best)
    }

    private static func rounded(_ decibels: Double) -> Double { (decibels * 100).rounded() / 100 }
}
