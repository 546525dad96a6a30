/// Measures steps of time in which this process ran: not those in which it was stopped, or the machine asleep.
package struct Stopwatch: Sendable {
    private let longestStep: Double
    private var last = SuspendingClock.now

    /// - Parameter longestStep: seconds; a longer step counts as this many.
    package init(longestStep: Double) { self.longestStep = longestStep }

    /// Seconds since the last call.
    package mutating func lap() -> Double {
        let now = SuspendingClock.now
        defer { last = now }
        return min(longestStep, (now - last) / .seconds(1))
    }
}
