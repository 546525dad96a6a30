/// Gives units the durations of the frames they came from: filters and encoders reorder frames, and forget how long
/// each of them lasts. Pure; ticks of one time base.
package struct FrameDurations: Sendable {
    /// For frames that say nothing.
    private let frameDuration: Int64
    private var durations: [Int64: Int64] = [:]

    package init(frameDuration: Int64) { self.frameDuration = max(1, frameDuration) }

    /// - Returns: the duration that the unit at this time will have.
    @discardableResult
    package mutating func note(pts: Int64, duration: Int64) -> Int64 {
        let known = duration > 0 ? duration : frameDuration
        durations[pts] = known
        return known
    }

    package mutating func take(pts: Int64) -> Int64 { durations.removeValue(forKey: pts) ?? frameDuration }
}
