import VTXMedia

/// When a frame is shown, in the caller's own units.
struct FrameTimes: Sendable {
    var time: MediaTime
    var duration: MediaTime?
}

/// Counts frames whose times nobody said: each is shown when the one before it has been. Pure.
struct FrameCounter: Sendable {
    private var next: MediaTime?

    /// - Parameter times: nil to count on from the frame before.
    mutating func place(_ times: FrameTimes?, frameRate: Rational) -> FrameTimes {
        let span = frameRate.reciprocal
        let times = times ?? FrameTimes(time: next ?? MediaTime(0, span), duration: MediaTime(1, span))
        let ticks = times.time.rescaled(to: span).ticks
        next = MediaTime(ticks.addingReportingOverflow(1).partialValue, span)
        return times
    }
}
