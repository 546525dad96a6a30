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

/// Forces key frames at a maximum interval for frames with uneven timestamps: by time, and optionally by number,
/// whichever is reached first. Pure; ticks of one time base.
package struct KeyFrameScheduler: Sendable {
    private let interval: Int64
    private let frameCount: Int
    /// Whether key frames are due at multiples of the interval from the first frame, regardless of others in between.
    private let isFixed: Bool
    private var last: Int64?
    /// The number of frames since the last forced key frame.
    private var count = 0

    /// - Parameter first: The first frame of the video, if an earlier run has encoded it.
    package init(interval: Int64, frameCount: Int = .max, isFixed: Bool = false, after first: Int64? = nil) {
        self.interval = max(1, interval)
        self.frameCount = frameCount
        self.isFixed = isFixed
        last = isFixed ? first : nil
    }

    package mutating func mustForce(at pts: Int64) -> Bool {
        guard let last else {
            self.last = pts
            return false
        }
        count += 1
        guard pts - last >= interval || count >= frameCount else { return false }
        (self.last, count) = (isFixed ? last + (pts - last) / interval * interval : pts, 0)
        return true
    }

    /// Notes a key frame that the encoder chose.
    package mutating func noteKeyFrame(at pts: Int64) {
        if !isFixed { last = max(last ?? pts, pts) }
    }
}
