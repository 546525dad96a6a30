import VTXMedia

/// Searches for the lowest quality that reaches a target.
///
/// A metric in dB grows roughly linearly with the quality, so two trials predict the target. If the encoder's output
/// changes with each step, a prediction near a trial is the result, and two or three trials are enough. Otherwise the
/// result is a trial, the third or fourth. It decides, and measures nothing.
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

    /// The step size: 0.1 CRF, or half a quantizer. A finer one is neither visible nor measurable.
    private var grid: Double { isContinuous ? 0.25 : 0.5 }
    /// The tolerance above the target, in dB.
    private static let tolerance = 0.1
    /// The assumed increase in dB per unit of quality before it is known; a unit is 0.4 CRF.
    private static let slope = 0.25
    /// The maximum distance of an extrapolation.
    private static let reach = 30.0
    /// The maximum distance of a predicted result from a trial, in dB. Within it a curve is a line, to about 0.1 dB.
    private static let near = 0.5
    private static let maxTrials = 8

    /// In dB.
    let target: Double
    /// Whether the output changes with each step of the quality.
    private let isContinuous: Bool
    /// The first quality to try.
    private let first: Double
    private(set) var trials: [Measurement] = []

    /// - Parameters:
    ///   - isContinuous: True for the CRF of x264 and x265; false for quantizers, which are whole numbers.
    ///   - first: The first quality to try: that of similar pictures, if there are any.
    init(target: QualityTarget, isContinuous: Bool, from first: Quality = .standard) {
        (self.target, self.isContinuous) = (target.metric.decibels(target.value), isContinuous)
        self.first = first.value
    }

    mutating func note(_ score: Double, at quality: Double) {
        trials.append(Measurement(quality: quality, score: score))
    }

    /// The highest quality that misses the target.
    private var below: Measurement? { trials.filter { $0.score < target }.max { $0.quality < $1.quality } }
    /// The lowest quality that reaches the target.
    private var above: Measurement? { trials.filter { $0.score >= target }.min { $0.quality < $1.quality } }

    var next: Step {
        guard let last = trials.last else { return .tries(first) }
        if let above, isFinal(above) { return .found(above.quality) }
        if let below, below.quality >= 100 { return .unreachable }
        let line = Line(through: pair, or: last, toward: aim)
        return result(on: line).map { .found($0) } ?? .tries(proposal(on: line, after: last))
    }

    private func isFinal(_ above: Measurement) -> Bool {
        above.score - target <= Self.tolerance || above.quality <= 0 || trials.count >= Self.maxTrials
            || below.map { above.quality - $0.quality <= grid } ?? false
    }

    private var aim: Double { target + Self.tolerance / 2 }

    /// The trials on both sides of the target, otherwise the last two.
    private var pair: (Measurement, Measurement)? {
        if let below, let above { return (below, above) }
        return trials.count > 1 ? (trials[trials.count - 2], trials[trials.count - 1]) : nil
    }

    /// - Returns: nil if the prediction must be tried.
    private func result(on line: Line) -> Double? {
        let quality = max(onGrid(line.quality), below.map { $0.quality + grid } ?? 0)
        let isNear = abs(aim - line.base.score) <= Self.near
        return isContinuous && line.isMeasured && isNear && quality < 100 ? quality : nil
    }

    private func proposal(on line: Line, after last: Measurement) -> Double {
        let quality = onGrid(line.quality)
        if let below, let above { return min(above.quality - grid, max(below.quality + grid, quality)) }
        // At least one step, and the last trial of all may ask for the end of the scale.
        if last.score >= aim { return max(0, min(quality, last.quality - grid)) }
        return trials.count + 1 >= Self.maxTrials ? 100 : min(100, max(quality, last.quality + grid))
    }

    private func onGrid(_ quality: Double) -> Double { (quality / grid).rounded() * grid }
}

extension QualitySearch {
    /// A line through trials, which reaches the target at a quality.
    private struct Line {
        /// The trial nearest to the target.
        let base: Measurement
        let quality: Double
        /// Whether the slope is that of two trials.
        let isMeasured: Bool

        init(through pair: (Measurement, Measurement)?, or last: Measurement, toward aim: Double) {
            let trials = pair.map { [$0.0, $0.1] } ?? [last]
            base = trials.min { abs($0.score - aim) < abs($1.score - aim) } ?? last
            let slope = pair.map { ($0.1.score - $0.0.score) / ($0.1.quality - $0.0.quality) }
            isMeasured = slope.map(\.isFinite) ?? false
            let usable = isMeasured ? max(QualitySearch.slope / 4, slope ?? 0) : QualitySearch.slope
            quality = base.quality + min(reach, max(-reach, (aim - base.score) / usable))
        }
    }
}
