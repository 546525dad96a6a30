import VTXFFmpeg
import VTXMedia
import VTXSession

extension CompressionCore {
    private var options: EncoderOpenOptions {
        let configuration = settings.configuration.keeping(bits: bitDepth ?? 8, in: encoders.codec)
        var options = EncoderOpenOptions(
            configuration, codec: encoders.codec, color: configuration.color.filled(from: color ?? .unspecified),
            timeBase: (clock ?? MonotonicTimestamps(first: Rational(1, 90_000))).timeBase)
        options.encoder.pass = passes.current
        // AV1's Main profile has both depths.
        if encoders.codec == .av1, let bitDepth {
            options.encoder.pixelFormat = .planar(.yuv420, bitDepth: bitDepth > 8 ? 10 : 8)
        }
        return options
    }

    /// Whether the next frame is a key frame without being forced.
    var isGroupFull: Bool { encoder.map { framesInGroup >= $0.options.encoder.maxKeyFrameInterval } ?? true }

    func adoptLimits() {
        let configuration = settings.configuration
        if window.limits != configuration.dataRateLimits { window = DataRateWindow(configuration.dataRateLimits) }
        adopt(KeyFrameInterval(frames: configuration.gopSize, seconds: configuration.maxKeyFrameIntervalDuration))
    }

    /// Applies the current properties to the following frames, after those in the encoder have come out.
    ///
    /// - Parameter isKeyFrame: Whether the next frame begins a GOP anyway. A new rate waits for that if the encoder
    ///   cannot change it immediately.
    func adoptSettings(atKeyFrame isKeyFrame: Bool) throws(SessionError) {
        // Software needs no refreshing, and cannot resume in the middle of a pass.
        if passes.current == nil, settings.signals.takeRefresh() {
            try finishEncoder()
            encoder = nil
            encoders.devices.refresh()
        }
        guard let encoder, encoder.options != options else { return }
        if encoder.isUsed, passes.current != nil { throw CompressionPasses.changed }
        if encoder.isUsed, encoder.options.isSame(butForRateOf: options) {
            if encoder.changeRate(to: options) || !isKeyFrame { return }
        }
        if encoder.isUsed { try finishEncoder() }
        self.encoder = nil
    }

    /// Opens a new encoder for a key frame if the current one cannot force it.
    func beginGroup() throws(SessionError) {
        guard let encoder, encoder.isUsed, !encoder.takesKeyFrames else { return }
        try finishEncoder()
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

extension CompressionCore {
    /// Sends a frame to the encoder and takes what is ready.
    func send(_ request: EncodingRequest, at ticks: Int64) throws(SessionError) {
        let encoder = try openEncoder()
        do throws(SessionError) { try encoder.send(request, at: ticks) } catch {
            if encoder.hasEnded { throw finishSession(error) }
            _ = pending.remove(at: ticks)
            give(request, .failed(error))
        }
        try takeOutputs(of: encoder)
    }

    /// Drains the encoder.
    func finishEncoder() throws(SessionError) {
        if pending.count > 0 { try finish(try openEncoder()) }
    }

    private func finish(_ encoder: SessionEncoder) throws(SessionError) {
        do throws(SessionError) { try encoder.finish() } catch { throw finishSession(error) }
        try takeOutputs(of: encoder)
        self.encoder = nil
        // Frames that an encoder swallows would otherwise be waited for forever.
        for (_, request) in pending.removeAll() {
            give(request, .failed(SessionError(.hardwareMalfunction, "the encoder returned no packet for a frame")))
        }
    }

    /// - Returns: the error, for throwing.
    func finishSession(_ error: SessionError) -> SessionError {
        (encoder, ending) = (nil, error)
        for (_, request) in pending.removeAll() { give(request, .failed(error)) }
        end(.failure(error))
        return error
    }
}

// MARK: What comes out

extension CompressionCore {
    private func takeOutputs(of encoder: SessionEncoder) throws(SessionError) {
        do throws(SessionError) {
            while let packet = try encoder.receive() { try take(packet, of: encoder) }
        } catch { throw finishSession(error) }
    }

    private func take(_ packet: Packet, of encoder: SessionEncoder) throws(SessionError) {
        if passes.current?.number == .first {
            guard let ticks = packet.pts, let (_, request) = pending.remove(at: ticks) else { return }
            return give(request, .analyzed)
        }
        let description = try encoder.formatDescription(of: packet)
        guard let ticks = packet.pts, let (_, request) = pending.remove(at: ticks) else { return }
        let sample = try makeSample(packet, ticks, request, description, encoder.options.encoder.timeBase)
        window.note(byteCount: sample.byteCount, at: request.time.seconds, isKeyFrame: sample.isKeyFrame)
        if sample.isKeyFrame { keyFrames?.noteKeyFrame(at: ticks) }
        give(request, .encoded(sample))
    }

    private func makeSample(
        _ packet: Packet, _ ticks: Int64, _ request: EncodingRequest, _ description: FormatDescription,
        _ timeBase: Rational
    ) throws(SessionError) -> Sample {
        // An encoder that was opened in mid-stream begins its own decoding times somewhat early.
        let decodingTicks = max(packet.dts ?? ticks, lastDecodingTicks.map { $0 + 1 } ?? .min)
        lastDecodingTicks = decodingTicks
        return try Sample(
            encoded: packet, presentationTime: request.time,
            decodingTime: MediaTime(decodingTicks, timeBase), duration: request.duration,
            isKeyFrame: packet.isKeyFrame, formatDescription: description)
    }

    /// Reports a result, unless the session has been invalidated.
    func give(_ request: EncodingRequest, _ status: CompressionOutput.Status) {
        guard !settings.signals.isInvalid else { return }
        output(
            CompressionOutput(
                presentationTime: request.time, duration: request.duration, context: request.context, status: status))
    }
}
