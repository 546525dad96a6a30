/// Forces a key frame when the last one is too long ago, for frames that follow each other unevenly: by time, and where
/// that is said by number too, whichever comes first. Pure; ticks of one time base.
package struct KeyFrameScheduler: Sendable {
    private let interval: Int64
    private let frameCount: Int
    /// Key frames are due at multiples of the interval from the first frame on, whatever comes between them.
    private let isFixed: Bool
    private var last: Int64?
    /// Since the last one that was forced.
    private var count = 0

    package init(interval: Int64, frameCount: Int = .max, isFixed: Bool = false) {
        self.interval = max(1, interval)
        self.frameCount = frameCount
        self.isFixed = isFixed
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

    /// The encoder chose one by itself.
    package mutating func noteKeyFrame(at pts: Int64) {
        if !isFixed { last = max(last ?? pts, pts) }
    }
}
