/// Forces a key frame when the last one is too long ago, for frames that follow each other unevenly: by time, and where
/// that is said by number too, whichever comes first. Pure; ticks of one time base.
package struct KeyFrameScheduler: Sendable {
    private let interval: Int64
    private let frameCount: Int
    private var last: Int64?
    /// Since the last one that was forced.
    private var count = 0

    package init(interval: Int64, frameCount: Int = .max) {
        self.interval = interval
        self.frameCount = frameCount
    }

    package mutating func mustForce(at pts: Int64) -> Bool {
        guard let last else {
            self.last = pts
            return false
        }
        count += 1
        guard pts - last >= interval || count >= frameCount else { return false }
        (self.last, count) = (pts, 0)
        return true
    }

    /// The encoder chose one by itself.
    package mutating func noteKeyFrame(at pts: Int64) { last = max(last ?? pts, pts) }
}
