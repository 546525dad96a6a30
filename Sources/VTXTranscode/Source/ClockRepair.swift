import VTXMedia

/// Takes jumps out of a transport stream's clock: recordings that were joined, a clock that wrapped or was set.
///
/// Pure: timestamps in, the shift to add out. All streams share one shift, so sound and picture stay together.
struct ClockRepair: Sendable {
    /// What counts as a jump and not as a gap.
    static let threshold = 10.0

    private var lastTimes: [Int: Double] = [:]
    /// Seconds to add to every timestamp from here on.
    private(set) var shift = 0.0

    /// - Returns: true where this packet's timestamp jumped, and `shift` has changed.
    mutating func observe(stream: Int, seconds: Double, duration: Double) -> Bool {
        defer { lastTimes[stream] = seconds + shift + duration }
        guard let expected = lastTimes[stream] else { return false }
        let jump = seconds + shift - expected
        guard abs(jump) > Self.threshold else { return false }
        shift -= jump
        return true
    }
}
