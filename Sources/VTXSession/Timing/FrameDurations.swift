/// Assigns packets the durations of their frames: filters and encoders reorder frames and do not keep durations. Pure;
/// ticks of one time base.
package struct FrameDurations: Sendable {
    /// The duration of frames without one.
    private let frameDuration: Int64
    private var durations: [Int64: Int64] = [:]

    package init(frameDuration: Int64) { self.frameDuration = max(1, frameDuration) }

    /// - Returns: the duration of the unit at this time.
    @discardableResult
    package mutating func note(pts: Int64, duration: Int64) -> Int64 {
        let known = duration > 0 ? duration : frameDuration
        durations[pts] = known
        return known
    }

    package mutating func take(pts: Int64) -> Int64 { durations.removeValue(forKey: pts) ?? frameDuration }
}
