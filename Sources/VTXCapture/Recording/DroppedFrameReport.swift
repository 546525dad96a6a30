package import VTXMedia
package import VTXTask

/// Reports that frames are lost to a slow encoder: when those of a second are lost, at most once a minute. Pure: no
/// clock in it.
package struct DroppedFrameReport: Sendable, Hashable {
    /// In seconds.
    private static let interval = 60.0
    /// What is too slow: `the encoder is`.
    private let what: Message
    /// The number of frames in a second.
    private let frameRate: Double
    private let takesSize: Bool
    private var reportedCount = 0
    private var lastReport = -Double.infinity

    /// - Parameters:
    ///   - what: What is too slow: `the encoder is`.
    ///   - takesSize: Whether the source can have another size and frame rate.
    package init(_ what: Message, _ frameRate: Rational, takesSize: Bool) {
        (self.what, self.frameRate, self.takesSize) = (what, frameRate.value, takesSize)
    }

    /// - Parameters:
    ///   - droppedCount: The number of frames lost so far.
    ///   - ticks: The capture time, in ticks of `CaptureTimeline.timeBase`.
    ///   - takesH264: Whether H.264, which is faster, is possible.
    /// - Returns: nil if there is nothing to report now.
    package mutating func notice(droppedCount: Int, at ticks: Int64, takesH264: Bool) -> Notice? {
        let seconds = MediaTime(ticks, CaptureTimeline.timeBase).seconds
        guard Double(droppedCount - reportedCount) >= frameRate, seconds - lastReport >= Self.interval else {
            return nil
        }
        (reportedCount, lastReport) = (droppedCount, seconds)
        return Notice(
            .captureDropped, what + " too slow: \(droppedCount) frames are lost so far" + hint(takesH264: takesH264))
    }

    private func hint(takesH264: Bool) -> Message {
        let shape: Message = "a smaller \(option: .size) or a lower \(option: .frameRate)"
        let h264: Message = "\(option: .codec, "h264")"
        switch (takesH264, takesSize) {
        case (true, true): return "; " + h264 + ", " + shape + " helps"
        case (true, false): return "; " + h264 + " helps"
        case (false, true): return "; " + shape + " helps"
        case (false, false): return ""
        }
    }
}
