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
            encoder = nil
            encoders.devices.refresh()
        }
        let configuration = settings.configuration
        if window.limits != configuration.dataRateLimits { window = DataRateWindow(configuration.dataRateLimits) }
        adopt(KeyFrameInterval(frames: configuration.gopSize, seconds: configuration.maxKeyFrameIntervalDuration))
        guard let encoder, encoder.options != options else { return }
        if encoder.isUsed, pending.count > 0 { try work(on: [], finishing: true) }
        self.encoder = nil
    }

    private func adopt(_ interval: KeyFrameInterval) {
        guard let clock, keyFrameInterval != interval else { return }
        keyFrameInterval = interval
        keyFrames = interval.seconds.map { seconds in
            let ticks = MediaTime(seconds: seconds).rescaled(to: clock.timeBase).ticks
            return KeyFrameScheduler(interval: ticks, frameCount: interval.frames ?? .max)
        }
    }

    func openEncoder() throws(SessionError) -> SessionEncoder {
        if let encoder { return encoder }
        do throws(SessionError) {
            let opened = try SessionEncoder(options, encoders, settings)
            encoder = opened
            return opened
        } catch { throw finishSession(error) }
    }
}
