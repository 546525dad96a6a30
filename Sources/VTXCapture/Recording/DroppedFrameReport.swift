package import VTXMedia
package import VTXTask

/// Decides when to report that frames are lost to a slow encoder: when those of a second are lost, at most once a
/// minute. Pure: no clock in it.
package struct DroppedFrameReport: Sendable, Hashable {
    /// In seconds.
    private static let interval = 60.0
    /// The number of frames in a second.
    private let frameRate: Double
    private var reportedCount = 0
    private var lastReport = -Double.infinity

    package init(_ frameRate: Rational) { self.frameRate = frameRate.value }

    /// - Parameters:
    ///   - droppedCount: The number of frames lost so far.
    ///   - seconds: The capture time.
    /// - Returns: whether to report it now.
    package mutating func isDue(droppedCount: Int, at seconds: Double) -> Bool {
        let isDue =
            Double(droppedCount - reportedCount) >= frameRate && seconds - lastReport >= Self.interval
        if isDue { (reportedCount, lastReport) = (droppedCount, seconds) }
        return isDue
    }
}

extension Notice {
    /// - Parameters:
    ///   - what: What is too slow: `the encoder is`.
    ///   - droppedCount: The number of frames lost so far.
    ///   - takesH264: Whether H.264, which is faster, is possible.
    ///   - takesSize: Whether the source can have another size and frame rate.
    package static func tooSlow(
        _ what: Message, droppedCount: Int, takesH264: Bool, takesSize: Bool
    ) -> Notice {
        let shape: Message = "a smaller \(option: .size) or a lower \(option: .frameRate)"
        let h264: Message = "\(option: .codec, "h264")"
        let hint: Message =
            switch (takesH264, takesSize) {
            case (true, true): "; " + h264 + ", " + shape + " helps"
            case (true, false): "; " + h264 + " helps"
            case (false, true): "; " + shape + " helps"
            case (false, false): ""
            }
        return Notice(.captureDropped, what + " too slow: \(droppedCount) frames are lost so far" + hint)
    }
}

extension CaptureRecorder {
    /// Whether H.264, which is encoded faster, would contain the same frames.
    package var couldBeH264: Bool { encoder.codec == .hevc && encoder.format.bitDepth == 8 }
}
