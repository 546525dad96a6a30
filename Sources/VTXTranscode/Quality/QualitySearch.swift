import VTXMedia

/// Searches for the lowest quality that reaches a target.
///
/// A metric in dB grows roughly linearly with the quality, so each trial predicts the target, and three or four trials
/// are enough. It decides, and measures nothing.
struct QualitySearch: Sendable {
    struct Measurement: Sendable, Hashable {
        var quality: Double
        /// In dB.
        var score: Double
    }

    /// The next step.
    enum Step: Sendable, Hashable {
        case tries(Double)
        case found(Double)
        /// The best quality does not reach the target.
        case unreachable
    }

    /// The step size. A finer one is neither visible nor measurable.
    private static let grid = 0.5
    /// The tolerance above the target, in dB.
    private static let tolerance = 0.1
    /// The assumed increase in dB per unit of quality before it is known; a unit is 0.4 CRF.
    private static let slope = 0.2
    /// The maximum distance of an extrapolation from two trials.
    private static let reach = 30.0
    private static let maxTrials = 8

    /// In dB.
    let target: Double
    private(set) var trials: [Measurement] = []

    init(target: QualityTarget) { self.target = target.metric.decibels(target.value) }

    mutating func note(_ score: Double, at quality: Double) {
        trials.append(Measurement(quality: quality, score: score))
    }

    /// The highest quality that misses the target.
    private var below: Measurement? { trials.filter { $0.score < target }.max { $0.quality < $1.quality } }
    /// The lowest quality that reaches the target.
    private var above: Measurement? { trials.filter { $0.score >= target }.min { $0.quality < $1.quality } }

    var next: Step {
        guard let last = trials.last else { return .tries(Quality.standard.value) }
        if let above, isFinal(above) { return .found(above.quality) }
        if let below, below.quality >= 100 { return .unreachable }
        return .tries(proposal(after: last))
    }

    private func isFinal(_ above: Measurement) -> Bool {
        above.score - target <= Self.tolerance || above.quality <= 0 || trials.count >= Self.maxTrials
            || below.map { above.quality - $0.quality <= Self.grid } ?? false
    }

    private func proposal(after last: Measurement) -> Double {
        if let below, let above { return between(below, above) }
        let steps = (aim - last.score) / slope
        let bounded = min(Self.reach, max(-Self.reach, steps))
        // At least one step, and the last trial of all may ask for the end of the scale.
        let wanted = trials.count + 1 >= Self.maxTrials && bounded > 0 ? 100 : last.quality + bounded
        let far = bounded > 0 ? max(wanted, last.quality + Self.grid) : min(wanted, last.quality - Self.grid)
        return min(100, max(0, onGrid(far)))
    }

    private var aim: Double { target + Self.tolerance / 2 }

    private func between(_ below: Measurement, _ above: Measurement) -> Double {
        let share = above.score > below.score ? (aim - below.score) / (above.score - below.score) : 0.5
        let quality = onGrid(below.quality + share * (above.quality - below.quality))
        return min(above.quality - Self.grid, max(below.quality + Self.grid, quality))
    }

    /// The slope of the last two trials.
    private var slope: Double {
        guard trials.count > 1 else { return Self.slope }
        let (first, second) = (trials[trials.count - 2], trials[trials.count - 1])
        guard first.quality != second.quality else { return Self.slope }
        return max(Self.slope / 4, (second.score - first.score) / (second.quality - first.quality))
    }

    private func onGrid(_ quality: Double) -> Double { (quality / Self.grid).rounded() * Self.grid }
}
