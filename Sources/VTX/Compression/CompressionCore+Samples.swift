import VTXFFmpeg
import VTXMedia
import VTXSession

extension CompressionCore {
    /// Frames go into the encoder, and out comes what is ready. A session that turns out to be invalid is built again,
    /// and gets all frames that had not come out.
    func work(on fresh: [(Int64, EncodingRequest)], finishing: Bool = false) throws(SessionError) {
        var frames = fresh
        while true {
            do throws(SessionError) {
                if try openEncoder() { frames = pending.contents }
                for frame in frames { try send(frame.1, at: frame.0) }
                frames = []
                if finishing { try finish() }
                return settings.note(pendingCount: pending.count)
            } catch {
                try recover(from: error)
            }
        }
    }

    private func send(_ request: EncodingRequest, at ticks: Int64) throws(SessionError) {
        do throws(SessionError) {
            try encoding.codec?.send(request, at: ticks)
            encoding.noteAccepted()
        } catch {
            if error.code.meansInvalidSession { throw error }
            _ = pending.remove(at: ticks)
            give(request, .failed(error))
            if encoding.noteFailure(error) == .giveUp { throw finishSession(error) }
        }
        try takeOutputs()
    }

    private func finish() throws(SessionError) {
        try encoding.codec?.finish()
        try takeOutputs()
        encoding.close()
        // Frames that an encoder swallows would otherwise be waited for forever.
        for (_, request) in pending.removeAll() {
            give(request, .failed(SessionError(.hardwareMalfunction, "the encoder gave nothing out for a frame")))
        }
    }

    /// Returns where another attempt is to be made.
    private func recover(from error: SessionError) throws(SessionError) {
        if let ending = encoding.ending { throw ending }
        guard encoding.lose(after: error) == .retry else { throw finishSession(error) }
    }

    /// - Returns: the error, for throwing.
    func finishSession(_ error: SessionError) -> SessionError {
        encoding.end(with: error)
        for (_, request) in pending.removeAll() { give(request, .failed(error)) }
        end(.failure(error))
        return error
    }
}

// MARK: What comes out

extension CompressionCore {
    private func takeOutputs() throws(SessionError) {
        while let encoder = encoding.codec, let packet = try encoder.receive() {
            let description = try encoder.formatDescription()
            guard let ticks = packet.pts, let (_, request) = pending.remove(at: ticks) else { continue }
            let sample = try makeSample(packet, ticks, request, description, encoder.options.encoder.timeBase)
            window.note(byteCount: sample.data.count, at: request.time.seconds, isKeyFrame: sample.isKeyFrame)
            if sample.isKeyFrame { keyFrames?.noteKeyFrame(at: ticks) }
            encoding.noteOutput()
            give(request, .encoded(sample))
        }
    }

    private func makeSample(
        _ packet: Packet, _ ticks: Int64, _ request: EncodingRequest, _ description: FormatDescription,
        _ timeBase: Rational
    ) throws(SessionError) -> Sample {
        // An encoder that was opened in mid-stream begins its own decoding times somewhat early.
        let decodingTicks = max(packet.dts ?? ticks, lastDecodingTicks.map { $0 + 1 } ?? .min)
        lastDecodingTicks = decodingTicks
        return try Sample(
            annexB: packet.bytes.bytes, presentationTime: request.time,
            decodingTime: MediaTime(decodingTicks, timeBase), duration: request.duration,
            isKeyFrame: packet.isKeyFrame, formatDescription: description)
    }

    /// An invalidated session reports nothing.
    func give(_ request: EncodingRequest, _ status: CompressionOutput.Status) {
        guard !settings.signals.isInvalid else { return }
        output(CompressionOutput(presentationTime: request.time, duration: request.duration, status: status))
    }
}
