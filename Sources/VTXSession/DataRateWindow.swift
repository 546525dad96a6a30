package import VTXMedia

/// Keeps data-rate limits as the last resort: counts what has come out, and says when the next frame would be too much.
/// Pure; times in seconds.
package struct DataRateWindow: Sendable {
    package let limits: [DataRateLimit]
    /// In the order of time.
    private var units: [(time: Double, byteCount: Int)] = []
    private var recent: [Int] = []

    package init(_ limits: [DataRateLimit]) { self.limits = limits }

    /// - Parameter isKeyFrame: key frames are larger, and say nothing about the next frame's size.
    package mutating func note(byteCount: Int, at time: Double, isKeyFrame: Bool) {
        guard !limits.isEmpty else { return }
        let index = units.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        units.insert((time, byteCount), at: index)
        if !isKeyFrame { recent = (recent + [byteCount]).suffix(4) }
        let longest = limits.map(\.seconds).max() ?? 0
        let newest = units.last?.time ?? time
        units.removeFirst(units.firstIndex { $0.time > newest - 2 * longest } ?? 0)
    }

    /// Whether a frame at this time, as large as those before it, stays within every limit.
    package func hasRoom(at time: Double) -> Bool {
        limits.allSatisfy { byteCount(from: time - $0.seconds) + (recent.max() ?? 0) <= $0.byteCount }
    }

    private func byteCount(from start: Double) -> Int {
        units.reversed().prefix { $0.time > start }.reduce(0) { $0 + $1.byteCount }
    }
}
