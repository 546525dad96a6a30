import VTXMedia
import VTXSession

extension CompressionCore {
    private var options: EncoderOpenOptions {
        let configuration = settings.configuration
        return EncoderOpenOptions(
            configuration, codec: encoders.codec, color: configuration.color.filled(from: color ?? .unspecified),
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
        guard let encoder = encoding.codec, encoder.options != options else { return }
        if encoder.sentCount > 0, pending.count > 0 { try work(on: [], finishing: true) }
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
    func openEncoder() throws(SessionError) -> Bool {
        do throws(SessionError) { return try encoding.open(makeEncoder) } catch { throw finishSession(error) }
    }

    /// The first device that really opens.
    private func makeEncoder() throws(SessionError) -> RecoveringEncoder {
        let options = options
        let none = SessionError(.notAvailableNow, "no device here encodes \(encoders.codec) any more")
        let candidates = encoders.candidates(settings.configuration)
        return try encoders.devices.first(of: candidates, else: none) { candidate, software throws(SessionError) in
            let encoder = try RecoveringEncoder(
                options, on: candidate, of: encoders.devices.generation, software: software)
            settings.note(.init(name: candidate.matrix.deviceName, isHardware: candidate.matrix.isHardware))
            return encoder
        }
    }
}
