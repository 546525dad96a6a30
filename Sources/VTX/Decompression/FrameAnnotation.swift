import VTXMedia

/// What the caller says of a frame: when it is shown, in units of his own, and what is to come out with it.
struct FrameAnnotation: Sendable {
    var time: MediaTime
    var duration: MediaTime?
    var context: (any Sendable)?
    /// It is decoded for others, and not given out.
    var isHidden = false
}

/// How many frames without a time are in a decoder, so that those which it loses can be told of. Pure.
struct UntimedFrames: Sendable {
    private var fieldCount = 0
    /// No decoder holds more than H.264 and HEVC let it (MaxDpbFrames, sps_max_dec_pic_buffering_minus1). Frames that a
    /// stream never shows would count forever.
    private static let maxCount = 16

    mutating func noteSent(isField: Bool) {
        fieldCount = min(fieldCount + (isField ? 1 : 2), 2 * Self.maxCount)
    }

    /// It came out, or was told of as a failure.
    mutating func noteOutput() { fieldCount = max(0, fieldCount - 2) }

    /// - Returns: how many there were.
    mutating func removeAll() -> Int {
        defer { fieldCount = 0 }
        return (fieldCount + 1) / 2
    }
}

/// Counts frames without times: each is shown when the one before it has been. Pure.
struct FrameCounter: Sendable {
    private var next: MediaTime?

    /// - Parameter times: nil to count on from the frame before.
    mutating func place(_ times: FrameAnnotation?, frameRate: Rational) -> FrameAnnotation {
        let span = frameRate.reciprocal
        let times = times ?? FrameAnnotation(time: next ?? MediaTime(0, span), duration: MediaTime(1, span))
        let ticks = times.time.rescaled(to: span).ticks
        next = MediaTime(ticks.addingReportingOverflow(1).partialValue, span)
        return times
    }
}
