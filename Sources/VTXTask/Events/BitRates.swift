/// Bits a second of a video over its time, in equal spans.
package struct BitRates: Sendable, Hashable, Codable {
    /// Seconds of a span.
    package var interval: Double
    /// Of each span, from the video's beginning on.
    package var values: [Int]

    package init(interval: Double, values: [Int]) { (self.interval, self.values) = (interval, values) }
}

/// Counts bits by their time. However long the video is there are no more spans than `limit`: they become longer.
package struct BitRateMeter: Sendable, Hashable {
    private var interval = 0.5
    private var bits: [Int: Double] = [:]
    /// From the first to the last bit.
    private var span: ClosedRange<Double>?

    package static let limit = 240
    /// Seconds that no video has.
    private static let tooLong = 1e8

    package init() {}

    /// Bytes that are decoded within a stretch of time, in any order; all at once where its end is its start.
    package mutating func note(byteCount: Int, from start: Double, to end: Double) {
        guard byteCount > 0, abs(start) < Self.tooLong, abs(end) < Self.tooLong else { return }
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
            // What hardly reaches into the last one would be a rate of next to no time.
            if seconds < interval / 8, let before = values.popLast() {
                values.append(before + found / interval)
            } else {
                values.append(found / max(seconds, interval / 8))
            }
        }
        return BitRates(interval: interval, values: values.map { Int($0.rounded()) })
    }

    private func place(_ seconds: Double) -> Int { Int((seconds / interval).rounded(.down)) }

    /// Seconds of a stretch that are in a span.
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
