import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

// MARK: Access units

extension DecompressionCore {
    func decode(_ item: AccessUnitAssembler.Item) throws(SessionError) {
        switch item {
        case .failure(let error, let times): give(nil, times, error)
        case .unit(let unit, let times): try decode(unit, times)
        }
    }

    private func decode(_ unit: IncomingUnit, _ times: FrameAnnotation?) throws(SessionError) {
        for set in unit.newParameterSets { parameters.append(set) }
        let decision = gate.admit(unit.gateInfo)
        state.note(droppedCount: gate.droppedCount)
        switch decision {
        case .drop: return
        case .ignore: heldSets.hold(unit)
        case .rebuildAndDecode:
            try drain()
            try openDecoder()
            heldSets.drop()
            dependencies = PictureDependencies()
            try send(unit, unit.bytes, times)
        case .decode: try send(unit, heldSets.take(before: unit), times)
        }
    }

    private func send(_ unit: IncomingUnit, _ bytes: PaddedBuffer, _ times: FrameAnnotation?) throws(SessionError) {
        let ticks = try times.map { times throws(SessionError) in try self.ticks(times) }
        let packet: Packet
        do {
            packet = try Packet(sharing: bytes, pts: ticks, duration: 0, timeBase: timeBase)
        } catch {
            throw SessionError(error, while: "referring to an access unit", else: .allocationFailed)
        }
        packet.dependency = dependencies.next(unit)
        if let ticks, let times {
            pending.insert(times, at: ticks)
        } else {
            untimed.noteSent(isField: unit.summary.field != nil)
        }
        try tolerating(isTimed: ticks != nil) { decoder throws(SessionError) in try decoder.send(packet, unit.summary) }
        try takeFrames()
    }

    private func ticks(_ times: FrameAnnotation) throws(SessionError) -> Int64 {
        guard let clock = input.clock else { throw SessionError(.badParameter, "a frame has no time base") }
        return try clock.ticks(times.time)
    }

    private var timeBase: Rational { input.clock?.timeBase ?? Rational(1, 90_000) }
}

// MARK: The decoder

extension DecompressionCore {
    func adoptRefresh() throws(SessionError) {
        guard state.signals.takeRefresh() else { return }
        try drain()
        gate.sessionLost()
        decoders.devices.refresh()
    }

    /// Runs `body`. Corrupt data costs a frame; any other error may cost the decoder.
    func tolerating(
        isTimed: Bool, _ body: (SessionDecoder) throws(SessionError) -> Void
    ) throws(SessionError) {
        guard let decoder else { return }
        do throws(SessionError) { try body(decoder) } catch {
            if error.code.meansInvalidSession || error.code == .unsupportedFormat { return try lose(after: error) }
            // A frame with a time is missed when a later one comes out, and is told of then.
            if isTimed {
                if error.code != .badData { reasonForLoss = error }
                return
            }
            untimed.noteOutput()
            give(nil, nil, error)
        }
    }

    /// Discards the decoder and all frames in it. No other decoder could continue, so decoding resumes at the next key
    /// frame. If the decoder has output nothing, the session ends instead of trying another one that would fail as
    /// well.
    func lose(after error: SessionError) throws(SessionError) {
        gate.sessionLost()
        guard let decoder, decoder.isProved, !decoder.hasEnded else { throw finishSession(error) }
        self.decoder = nil
        giveLost(error)
    }

    func openDecoder() throws(SessionError) {
        guard decoder == nil else { return }
        do throws(SessionError) { decoder = try makeDecoder() } catch { throw finishSession(error) }
    }

    private func makeDecoder() throws(SessionError) -> SessionDecoder {
        let stream: InputStream
        do {
            stream = try InputStream(
                configuration.codec, parameterSets: parameters.bytes, timeBase: timeBase)
        } catch {
            throw SessionError(error, while: "describing the stream", else: .allocationFailed)
        }
        var contract = DecoderConfiguration(stream: stream)
        contract.isRealTime = state.isRealTime
        return try SessionDecoder(configuration, contract, parameters.picture, decoders, state)
    }
}
