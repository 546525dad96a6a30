package import VTXMedia

/// Enforces data-rate limits as a last resort: counts the encoded bytes and reports when the next frame would exceed a
/// limit. Pure; times in seconds.
package struct DataRateWindow: Sendable {
    package let limits: [DataRateLimit]
    /// In order of time.
    private var units: [(time: Double, byteCount: Int)] = []
    private var recent: [Int] = []
    private static let fewFrames = 4

    package init(_ limits: [DataRateLimit]) { self.limits = limits }

    /// - Parameter isKeyFrame: Whether to exclude the frame from the size estimate: key frames are larger than the next
    ///   frame.
    package mutating func note(byteCount: Int, at time: Double, isKeyFrame: Bool) {
        guard !limits.isEmpty else { return }
        let index = units.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        units.insert((time, byteCount), at: index)
        if !isKeyFrame { recent = (recent + [byteCount]).suffix(8) }
        let longest = limits.map(\.seconds).max() ?? 0
        let newest = units.last?.time ?? time
        units.removeFirst(units.firstIndex { $0.time > newest - 2 * longest } ?? 0)
    }

    /// Whether a frame of the size of recent frames at this time stays within all limits.
    ///
    /// - Parameter waiting: The times of frames that have not come out. A few are assumed to be as large as the largest
    ///   recent frame, as at a scene change; many are assumed to have the average size.
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
