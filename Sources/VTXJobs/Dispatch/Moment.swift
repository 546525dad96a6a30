/// Now, on both clocks.
package struct Moment: Sendable, Hashable {
    /// Seconds on a clock that never goes back: for what waits.
    package var uptime: Double
    /// For records.
    package var time: Timestamp

    package init(uptime: Double, time: Timestamp) {
        self.uptime = uptime
        self.time = time
    }
}
