package import VTXMedia

/// Keeps data-rate limits as the last resort: counts what has come out, and says when the next frame would be too much.
/// Pure; times in seconds.
package struct DataRateWindow: Sendable {
    package let limits: [DataRateLimit]
    /// In the order of time.
    private var units: [(time: Double, byteCount: Int)] = []
    private var recent: [Int] = []
    private static let fewFrames = 4

    package init(_ limits: [DataRateLimit]) { self.limits = limits }

    /// - Parameter isKeyFrame: key frames are larger, and say nothing about the next frame's size.
    package mutating func note(byteCount: Int, at time: Double, isKeyFrame: Bool) {
        guard !limits.isEmpty else { return }
        let index = units.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        units.insert((time, byteCount), at: index)
        if !isKeyFrame { recent = (recent + [byteCount]).suffix(8) }
        let longest = limits.map(\.seconds).max() ?? 0
        let newest = units.last?.time ?? time
        units.removeFirst(units.firstIndex { $0.time > newest - 2 * longest } ?? 0)
    }

    /// Whether a frame at this time, as large as those before it, stays within every limit.
    ///
    /// - Parameter waiting: the times of frames that have not come out. A few of them may each be as large as the
    ///   largest of the last ones, as when a scene begins that takes more; many are as large as those on average.
    package func hasRoom(at time: Double, waiting: @autoclosure () -> [Double] = []) -> Bool {
        guard !limits.isEmpty else { return true }
        let (largest, average) = (recent.suffix(Self.fewFrames).max() ?? 0, recent.reduce(0, +) / max(1, recent.count))
        let waiting = waiting()
        return limits.allSatisfy { limit in
            let start = time - limit.seconds
            let count = waiting.filter { $0 > start }.count
            let coming = min(count, Self.fewFrames) * largest + max(0, count - Self.fewFrames) * average
            return byteCount(from: start) + coming + largest <= limit.byteCount
        }
    }

    private func byteCount(from start: Double) -> Int {
        units.reversed().prefix { $0.time > start }.reduce(0) { $0 + $1.byteCount }
    }
}
