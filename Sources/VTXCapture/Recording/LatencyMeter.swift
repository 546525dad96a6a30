/// The maximum latency of the frames of the last second. Pure: no clock in it.
struct LatencyMeter: Sendable {
    /// In seconds.
    private static let window = 1.0
    private var samples: [(time: Double, latency: Double)] = []

    /// Adds a frame that has just been written.
    ///
    /// - Parameters:
    ///   - captured: The time of its capture, in seconds.
    ///   - now: The current time, on the same clock.
    mutating func note(captured: Double, now: Double) {
        samples.removeAll { $0.time <= now - Self.window }
        samples.append((now, max(0, now - captured)))
    }

    /// In seconds; nil before the first frame.
    var maximum: Double? { samples.map(\.latency).max() }
}
