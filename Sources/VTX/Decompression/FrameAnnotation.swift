import VTXMedia

/// What the caller attached to a frame: its timestamp, in the caller's time base, and the context to return with it.
struct FrameAnnotation: Sendable {
    var time: MediaTime
    var duration: MediaTime?
    var context: (any Sendable)?
    /// Whether the frame is decoded for others to refer to, and not output.
    var isHidden = false
}

/// Counts the frames without timestamps in a decoder, so that those it loses can be reported. Pure.
struct UntimedFrames: Sendable {
    private var fieldCount = 0
    /// The maximum number of frames in a decoder that H.264 and HEVC allow (MaxDpbFrames,
    /// sps_max_dec_pic_buffering_minus1). Without it, frames that are never shown would count forever.
    private static let maxCount = 16

    mutating func noteSent(isField: Bool) {
        fieldCount = min(fieldCount + (isField ? 1 : 2), 2 * Self.maxCount)
    }

    /// Notes that a frame came out or was reported as failed.
    mutating func noteOutput() { fieldCount = max(0, fieldCount - 2) }

    /// - Returns: the number of frames removed.
    mutating func removeAll() -> Int {
        defer { fieldCount = 0 }
        return (fieldCount + 1) / 2
    }
}

/// Assigns timestamps to frames without them, at the frame rate. Pure.
struct FrameCounter: Sendable {
    private var next: MediaTime?

    /// - Parameter times: nil to continue from the previous frame.
    mutating func place(_ times: FrameAnnotation?, frameRate: Rational) -> FrameAnnotation {
        let span = frameRate.reciprocal
        let times = times ?? FrameAnnotation(time: next ?? MediaTime(0, span), duration: MediaTime(1, span))
        let ticks = times.time.rescaled(to: span).ticks
        next = MediaTime(ticks.addingReportingOverflow(1).partialValue, span)
        return times
    }
}
