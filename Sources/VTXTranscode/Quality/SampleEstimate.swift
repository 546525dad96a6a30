import Glibc

/// The score and size of the samples at a quality.
struct SampleEstimate: Sendable, Hashable {
    /// What was measured at a quality.
    struct Trial: Sendable, Hashable {
        var quality: Double
        /// In the metric's own unit.
        var score: Double
        /// The size of the video.
        var byteCount: Int
    }

    let score: Double
    let byteCount: Double
    /// False if they are interpolated.
    let isMeasured: Bool

    /// Takes the trial at this quality, otherwise the line through the trials on both sides or the two nearest: of the
    /// score, and of the logarithm of the size.
    ///
    /// - Returns: nil if there are no trials.
    init?(at quality: Double, from trials: [Trial]) {
        let nearest = trials.sorted { abs($0.quality - quality) < abs($1.quality - quality) }
        guard let first = nearest.first else { return nil }
        let opposite = nearest.first { ($0.quality < quality) != (first.quality < quality) }
        let second = opposite ?? nearest.dropFirst().first ?? first
        isMeasured = first.quality == quality || second == first
        let share = isMeasured ? 0 : (quality - first.quality) / (second.quality - first.quality)
        score = first.score + share * (second.score - first.score)
        let (bytes, others) = (Double(max(1, first.byteCount)), Double(max(1, second.byteCount)))
        byteCount = bytes * pow(others / bytes, share)
    }
}
