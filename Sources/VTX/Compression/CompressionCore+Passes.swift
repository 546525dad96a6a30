import VTXMedia
import VTXSession

extension CompressionCore {
    func beginPass() throws(SessionError) {
        try checkAlive()
        guard passes.current != nil || clock == nil else {
            throw SessionError(.badParameter, "passes must begin before the session's first frame")
        }
        guard encoders.codec != .av1 else {
            throw SessionError(.propertyNotSupported, "AV1 is encoded in one pass; allowed: H.264, HEVC")
        }
        try passes.begin(settings.configuration)
        try settings.change { $0.hardware = .off }
        // The prepared encoder was opened without passes.
        encoder = nil
    }

    func endPass() throws(SessionError) -> Bool {
        try checkAlive()
        if passes.current != nil { try finishEncoder() }
        let hasNext = try passes.end()
        // The encoder writes the file to its end when it is gone.
        encoder = nil
        startOver()
        return hasNext
    }

    /// Resets the clock and everything counted by it.
    private func startOver() {
        (clock, keyFrames, keyFrameInterval) = (nil, nil, KeyFrameInterval())
        (lastDecodingTicks, framesInGroup) = (nil, 0)
        window = DataRateWindow(settings.configuration.dataRateLimits)
    }
}
