/// The bit rate of a video over time, in intervals of equal length.
package struct BitRates: Sendable, Hashable, Codable {
    /// The length of an interval, in seconds.
    package var interval: Double
    /// The bit rate of each interval, in bits per second, from the beginning of the video.
    package var values: [Int]

    package init(interval: Double, values: [Int]) { (self.interval, self.values) = (interval, values) }
}

/// Measures the bit rate over time. Intervals grow with the duration, so that there are never more than `limit`.
package struct BitRateMeter: Sendable, Hashable {
    private var interval = 0.5
    private var bits: [Int: Double] = [:]
    /// The number of all bytes.
    package private(set) var byteCount = 0
    /// From the first to the last bit.
    private var span: ClosedRange<Double>?

    package static let limit = 240
    /// A duration that no video reaches, in seconds.
    private static let tooLong = 1e8

    package init() {}

    /// Adds bytes that are decoded within a period, in any order. If its end equals its start, all at once.
    package mutating func note(byteCount: Int, from start: Double, to end: Double) {
        guard byteCount > 0, abs(start) < Self.tooLong, abs(end) < Self.tooLong else { return }
        self.byteCount += byteCount
        let end = max(start, end)
        let whole = span.map { min($0.lowerBound, start)...max($0.upperBound, end) } ?? start...end
        span = whole
        while place(whole.upperBound) - place(whole.lowerBound) >= Self.limit { widen() }
        let (count, first, last) = (Double(byteCount) * 8, place(start), place(end))
        guard last > first else { return bits[first, default: 0] += count }
        for index in first...last {
            bits[index, default: 0] += count * overlap(index, start...end) / (end - start)
        }
    }

    /// nil before the first bit.
    package var rates: BitRates? {
        guard let span else { return nil }
        var values: [Double] = []
        for index in place(span.lowerBound)...place(span.upperBound) {
            let (found, seconds) = (bits[index] ?? 0, overlap(index, span))
            // A last interval that is hardly used would have a meaningless bit rate.
            if seconds < interval / 8, let before = values.popLast() {
                values.append(before + found / interval)
            } else {
                values.append(found / max(seconds, interval / 8))
            }
        }
        return BitRates(interval: interval, values: values.map { Int($0.rounded()) })
    }

    private func place(_ seconds: Double) -> Int { Int((seconds / interval).rounded(.down)) }

    /// Returns how much of a period, in seconds, is in an interval.
    private func overlap(_ index: Int, _ stretch: ClosedRange<Double>) -> Double {
        max(
            0, min(stretch.upperBound, Double(index + 1) * interval) - max(stretch.lowerBound, Double(index) * interval)
        )
    }

    private mutating func widen() {
        interval *= 2
        bits = bits.reduce(into: [:]) { $0[$1.key >> 1, default: 0] += $1.value }
    }
}
