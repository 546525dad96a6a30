import Glibc
import VTXMedia
import VTXTask

/// A range of values with tick marks.
struct Axis: Sendable, Hashable {
    let low: Double
    let high: Double
    /// The distance between two marks.
    let step: Double
    private var (from, to) = (0.0, 1.0)

    private static let maxTicks = 8.0
    /// Steps of time in seconds: those of clocks, up to hours.
    static let timeSteps: [Double] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400]

    /// - Parameter steps: The possible distances between marks, the smallest first.
    init(_ low: Double, _ high: Double, steps: [Double]) {
        (self.low, self.high) = (low, high)
        step = steps.first { (high - low) / $0 <= Self.maxTicks } ?? (high - low) / Self.maxTicks
    }

    /// Ranges from a mark below all values to one above them.
    init(around values: [Double], of metric: QualityMetric) {
        let least = metric == .ssim ? 0.001 : 1
        let (low, high) = (values.min() ?? 0, values.max() ?? 0)
        let spread = max(high - low, least)
        // 1, 2 or 5 times a power of ten.
        let power = pow(10, floor(log10(spread / 5)))
        let step = [1.0, 2, 5, 10].map { $0 * power }.first { spread / $0 <= 6 } ?? spread
        let top = metric == .ssim ? min(1, ceil(high / step) * step) : ceil(high / step) * step
        self.low = min(floor(low / step) * step, top - step)
        self.high = top
        self.step = step
    }

    func placed(from: Double, to: Double) -> Axis {
        var axis = self
        (axis.from, axis.to) = (from, to)
        return axis
    }

    /// Returns the position of a value.
    func callAsFunction(_ value: Double) -> Double { from + (to - from) * (value - low) / max(high - low, 1e-9) }

    var ticks: [Double] {
        let count = Int(((high - low) / step + 1e-6).rounded(.down))
        return (0...max(0, count)).map { low + Double($0) * step }
    }

    /// Formats a value with enough digits to distinguish two marks.
    func text(_ value: Double) -> String {
        let digits = max(0, Int(-floor(log10(step) + 1e-9)))
        let scale = pow(10, Double(digits))
        let whole = Int((value * scale).rounded())
        guard digits > 0 else { return "\(whole)" }
        let fraction = String(whole.magnitude % UInt(scale)).leftPadded(to: digits).replacing(" ", with: "0")
        return "\(whole < 0 ? "-" : "")\(whole.magnitude / UInt(scale)).\(fraction)"
    }
}

/// The values of neighboring frames at one position of the chart.
struct ChartColumn: Sendable, Hashable {
    var time: Double
    var low: Double
    var mean: Double
    var high: Double

    /// Groups frames evenly into columns, one per frame if there are enough columns.
    static func columns(of points: [(Double, Double)], atMost count: Int) -> [ChartColumn] {
        let size = max(1, (points.count + count - 1) / max(1, count))
        return stride(from: 0, to: points.count, by: size).map { start in
            let part = points[start..<min(points.count, start + size)]
            let values = part.map(\.1)
            return ChartColumn(
                time: part[start].0, low: values.min() ?? 0, mean: values.reduce(0, +) / Double(values.count),
                high: values.max() ?? 0)
        }
    }
}
