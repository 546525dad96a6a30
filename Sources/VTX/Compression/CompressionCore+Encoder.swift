import VTXMedia
import VTXSession

extension CompressionCore {
    private var wish: EncoderOpenOptions {
        let configuration = settings.configuration
        return EncoderOpenOptions(
            configuration, codec: ladder.codec, color: configuration.color.filled(from: color ?? .unspecified),
            timeBase: (clock ?? MonotonicTimestamps(first: Rational(1, 90_000))).timeBase)
    }

    /// Frames from here on are encoded as the properties say now. Those that are on their way come out first.
    func adoptSettings() throws(SessionError) {
        if settings.signals.takeRefresh() {
            if pending.count > 0 { try work(on: [], finishing: true) }
            encoding.refresh()
        }
        let configuration = settings.configuration
        if window.limits != configuration.dataRateLimits { window = DataRateWindow(configuration.dataRateLimits) }
        adopt(KeyFrameInterval(frames: configuration.gopSize, seconds: configuration.maxKeyFrameIntervalDuration))
        guard let line = encoding.line, line.wish != wish else { return }
        if line.sentCount > 0, pending.count > 0 { try work(on: [], finishing: true) }
        encoding.close()
    }

    private func adopt(_ interval: KeyFrameInterval) {
        guard let clock, keyFrameInterval != interval else { return }
        keyFrameInterval = interval
        keyFrames = interval.seconds.map { seconds in
            let ticks = MediaTime(seconds: seconds).rescaled(to: clock.timeBase).ticks
            return KeyFrameScheduler(interval: ticks, frameCount: interval.frames ?? .max)
        }
    }

    /// - Returns: true where the encoder is a new one.
    @discardableResult
    func openLine() throws(SessionError) -> Bool {
        do throws(SessionError) { return try encoding.open(makeLine) } catch { throw finishSession(error) }
    }

    /// The first device that really opens.
    private func makeLine() throws(SessionError) -> RecoveringEncoder {
        let wish = wish
        let nobody = SessionError(.notAvailableNow, "no device here encodes \(ladder.codec) any more")
        let candidates = ladder.candidates(settings.configuration)
        return try ladder.devices.first(of: candidates, else: nobody) { offer, software throws(SessionError) in
            let line = try RecoveringEncoder(wish, on: offer, of: ladder.devices.generation, software: software)
            settings.note(.init(name: offer.matrix.deviceName, isHardware: offer.matrix.isHardware))
            return line
        }
    }
}
