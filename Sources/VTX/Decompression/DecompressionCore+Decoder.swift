import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession

// MARK: Access units

extension DecompressionCore {
    func decode(_ item: AccessUnitAssembler.Item) throws(SessionError) {
        switch item {
        case .failure(let error, let times): give(nil, times, error)
        case .unit(let unit, let times): try decode(unit, times)
        }
    }

    private func decode(_ unit: AccessUnit, _ times: FrameTimes?) throws(SessionError) {
        intake.noteParameterSets(of: unit)
        let decision = gate.admit(unit.gateInfo)
        state.note(droppedCount: gate.droppedCount)
        switch decision {
        case .drop: return
        case .ignore: intake.hold(unit)
        case .rebuildAndDecode:
            try drain()
            try openDecoder()
            intake.dropHeld()
            dependencies = PictureDependencies()
            try send(unit, unit.bytes, times)
        case .decode: try send(unit, intake.takeHeld(before: unit), times)
        }
    }

    private func send(_ unit: AccessUnit, _ bytes: [UInt8], _ times: FrameTimes?) throws(SessionError) {
        let ticks = try times.map { times throws(SessionError) in try self.ticks(times) }
        let packet: Packet
        do {
            packet = try Packet(bytes: bytes, pts: ticks, dts: nil, duration: 0, timeBase: timeBase)
        } catch {
            throw SessionError(error, while: "copying an access unit", else: .allocationFailed)
        }
        packet.dependency = dependencies.next(unit)
        decoding.codec?.prepare(for: unit.summary)
        if let ticks, let times {
            pending.insert(times, at: ticks)
        } else {
            untimed.noteSent(isField: unit.summary.field != nil)
        }
        try tolerating(isTimed: ticks != nil) { decoder throws(SessionError) in try decoder.send(packet) }
        try takeFrames()
    }

    private var timeBase: Rational { clock?.timeBase ?? Rational(1, 90_000) }
}

// MARK: The decoder

extension DecompressionCore {
    func adoptRefresh() throws(SessionError) {
        guard state.signals.takeRefresh() else { return }
        try drain()
        gate.sessionLost()
        decoding.refresh()
    }

    /// Bad data costs a frame; anything else may cost the decoder.
    func tolerating(
        isTimed: Bool, _ body: (RecoveringDecoder) throws(SessionError) -> Void
    ) throws(SessionError) {
        guard let decoder = decoding.codec else { return }
        do throws(SessionError) { try body(decoder) } catch {
            if error.code.meansInvalidSession { return try lose(after: error) }
            // It was opened for this stream, and does not decode it: the device is not what it said.
            if error.code == .unsupportedFormat {
                return try lose(after: SessionError(.hardwareMalfunction, error.message))
            }
            // A frame with a time is missed when a later one comes out, and is told of then.
            if isTimed {
                if error.code != .badData { reasonForLoss = error }
                return
            }
            untimed.noteOutput()
            give(nil, nil, error)
        }
    }

    /// The decoder is gone, with all that it held. Where nothing had come out of it yet, another one begins with the same
    /// pictures; else decoding goes on with the next key frame.
    func lose(after error: SessionError) throws(SessionError) {
        let unproved = decoding.codec?.unproved ?? []
        guard decoding.lose(after: error) != .giveUp else {
            gate.sessionLost()
            throw finishSession(error)
        }
        guard unproved.isEmpty else { return try decodeAgain(unproved) }
        gate.sessionLost()
        giveLost(error)
    }

    private func decodeAgain(_ packets: [Packet]) throws(SessionError) {
        try openDecoder()
        for packet in packets {
            try tolerating(isTimed: packet.pts != nil) { decoder throws(SessionError) in try decoder.send(packet) }
            try takeFrames()
        }
    }

    /// - Returns: the error, for throwing.
    private func finishSession(_ error: SessionError) -> SessionError {
        decoding.end(with: error)
        giveLost(error)
        outputs.end(.failure(error))
        return error
    }

    func openDecoder() throws(SessionError) {
        do throws(SessionError) { _ = try decoding.open(makeDecoder) } catch { throw finishSession(error) }
    }

    /// The first device that really opens.
    private func makeDecoder() throws(SessionError) -> RecoveringDecoder {
        let stream: InputStream
        do {
            stream = try InputStream(
                configuration.codec, parameterSets: intake.parameters.annexB, timeBase: timeBase)
        } catch {
            throw SessionError(error, while: "describing the stream", else: .allocationFailed)
        }
        var contract = DecoderConfiguration(stream: stream)
        contract.isRealTime = state.isRealTime
        let none = SessionError(.noSuchDecoder, "no device here decodes this \(configuration.codec)")
        let candidates = decoders.candidates(intake.parameters.picture, contract.traits)
        return try decoders.devices.first(of: candidates, else: none) { candidate, software throws(SessionError) in
            let decoder = try RecoveringDecoder(
                configuration, contract, on: candidate, of: decoders.devices.generation, software: software)
            state.noteDecoder(isHardware: candidate.matrix.isHardware)
            return decoder
        }
    }
}
