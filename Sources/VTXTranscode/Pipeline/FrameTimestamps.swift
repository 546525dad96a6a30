import VTXMedia
import VTXTask

/// Decides for each decoded frame whether it is shown, and when. Pure; ticks of one time base.
///
/// Timestamps come out as they went in, as long as they rise. Where they do not, or are missing, the nearest
/// time that keeps the order is given.
package struct FrameTimestamps: Sendable {
    package enum Decision: Sendable, Hashable {
        case show(pts: Int64)
        /// Before the start that was asked for.
        case skip
        /// So far behind the frame before it that the gap cannot be filled with frames, as a new rate demands.
        case unfillable(gap: Int64)
        /// Behind the end that was asked for; so will be all that follow.
        case end
    }

    /// Ticks of one frame at the stream's rate.
    private let frameDuration: Int64
    /// Elementary streams have no times: frames are counted instead.
    private let countsFrames: Bool
    private let start: Int64?
    private let end: Int64?
    private let maxGap: Int64?
    private let maxLeap: Int64
    private var last: Int64?
    private var nextExpected: Int64
    /// Frames whose time had to be changed.
    package private(set) var repairs = 0

    /// - Parameters:
    ///   - origin: the time of a first frame that does not say its own.
    ///   - maxGap: the longest pause between two frames that is filled; nil for any.
    ///   - maxLeap: the longest pause between two frames that is believed.
    package init(
        frameDuration: Int64, countsFrames: Bool, origin: Int64 = 0, start: Int64? = nil, end: Int64? = nil,
        maxGap: Int64? = nil, maxLeap: Int64 = .max
    ) {
        self.maxGap = maxGap
        self.maxLeap = maxLeap
        nextExpected = origin
        self.frameDuration = max(1, frameDuration)
        self.countsFrames = countsFrames
        self.start = start
        self.end = end
    }

    /// The nearest time that keeps the order; nil for a time that does so already.
    ///
    /// A small step back is a rounding error and moves the frame by a tick. A large one, or a leap over days, is a
    /// broken clock: from there on frames follow each other at the stream's rate.
    private func repair(_ time: Int64, after last: Int64) -> Int64? {
        if time > last { return time - last > maxLeap ? nextExpected : nil }
        return last - time > 2 * frameDuration ? max(last + 1, nextExpected) : last + 1
    }

    package mutating func admit(pts: Int64?, duration: Int64) -> Decision {
        var time = countsFrames ? nextExpected : pts ?? nextExpected
        if let last, let repaired = repair(time, after: last) {
            time = repaired
            repairs += 1
        }
        let gap = time - (last ?? time)
        last = time
        nextExpected = time + (duration > 0 && !countsFrames ? duration : frameDuration)
        if let start, time < start { return .skip }
        if let end, time >= end { return .end }
        if let maxGap, gap > maxGap { return .unfillable(gap: gap) }
        return .show(pts: time)
    }
}
