import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession

/// The part of a decompression session that works on its queue.
actor DecompressionCore {
    /// When a frame that went in is shown, in the caller's own units.
    struct Times: Sendable {
        var time: MediaTime
        var duration: MediaTime?
    }

    nonisolated let configuration: VideoDecoderConfiguration
    nonisolated let state: DecompressionState
    private nonisolated let queue = SessionQueue(label: "vtx.decompression")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    private nonisolated let ladder: DecoderLadder
    private nonisolated let output: DecompressionSession.OutputHandler
    private nonisolated let end: @Sendable (Result<Void, SessionError>) -> Void
    private var recovery = SessionRecovery()
    private var gate = DecodingGate()
    private var line: DecodingLine?
    private var splitter: AccessUnitSplitter
    private var parameters: StreamParameters
    /// Parameter sets that came without a picture, for the next one.
    private var waitingBytes: [UInt8] = []
    /// Of the samples.
    private var format: FormatDescription?
    private var clock: SessionClock?
    private var pending = PendingFrames<Times>()
    /// When the next frame without a time is shown.
    private var nextTime: MediaTime?
    private var ending: SessionError?
    private var lastFailure = SessionError(.notAvailableNow, "no decoder could be opened")

    init(
        _ configuration: VideoDecoderConfiguration, _ ladder: DecoderLadder,
        output: @escaping DecompressionSession.OutputHandler,
        end: @escaping @Sendable (Result<Void, SessionError>) -> Void
    ) {
        self.configuration = configuration
        self.ladder = ladder
        self.output = output
        self.end = end
        state = DecompressionState(isRealTime: configuration.isRealTime)
        splitter = AccessUnitSplitter(codec: configuration.codec)
        parameters = StreamParameters(codec: configuration.codec)
    }
}

// MARK: What callers ask for

extension DecompressionCore {
    func decode(_ sample: Sample) throws(SessionError) {
        guard sample.formatDescription.codec == configuration.codec else {
            throw SessionError(
                .badParameter, "a session for \(configuration.codec) decodes no \(sample.formatDescription.codec)")
        }
        try checkAlive()
        let times = Times(time: sample.presentationTime, duration: sample.duration)
        _ = try ticks(times)
        let isNew = format != sample.formatDescription
        format = sample.formatDescription
        let bytes: [UInt8]
        do throws(SessionError) { bytes = try sample.annexB(withParameterSets: isNew) } catch {
            return give(nil, times, error)
        }
        try decodeWhole(bytes, times)
    }

    func decode(annexB bytes: [UInt8], at time: MediaTime?, duration: MediaTime?) throws(SessionError) {
        try checkAlive()
        let times = time.map { Times(time: $0, duration: duration) }
        if let times { _ = try ticks(times) }
        try decodeWhole(bytes, times)
    }

    func decode(stream chunk: [UInt8]) throws(SessionError) {
        try checkAlive()
        try adoptRefresh()
        let units: [AccessUnit]
        do throws(BitstreamError) { units = try splitter.append(chunk.span.bytes) } catch {
            // What never ends is no access unit: begin again behind it.
            splitter = AccessUnitSplitter(codec: configuration.codec)
            return give(nil, nil, SessionError(.badData, "an access unit: \(error)"))
        }
        for unit in units { try decode(unit, nil) }
    }

    func flush() throws(SessionError) {
        try checkAlive()
        for unit in splitter.finish() { try decode(unit, nil) }
        try drain()
        gate.sessionLost()
    }

    func prepare() throws(SessionError) {
        try checkAlive()
        if parameters.picture != nil { try openLine() }
    }

    nonisolated func invalidate() {
        state.invalidate()
        end(.success(()))
        queue.async { self.assumeIsolated { $0.discard() } }
    }

    private func discard() {
        line = nil
        _ = pending.removeAll()
    }
}

// MARK: Access units

extension DecompressionCore {
    private func checkAlive() throws(SessionError) {
        if state.isInvalid { throw SessionError(.invalidSession, "the session has been invalidated") }
        if let ending { throw ending }
    }

    private func ticks(_ times: Times) throws(SessionError) -> Int64 {
        let clock = clock ?? SessionClock(first: times.time.timeBase)
        self.clock = clock
        return try clock.ticks(times.time)
    }

    /// The buffer's end is a frame's end.
    private func decodeWhole(_ bytes: [UInt8], _ times: Times?) throws(SessionError) {
        try adoptRefresh()
        for unit in splitter.finish() { try decode(unit, nil) }
        let units: [AccessUnit]
        do throws(BitstreamError) {
            units = try splitter.append(setsFirst(bytes).span.bytes) + splitter.finish()
        } catch {
            splitter = AccessUnitSplitter(codec: configuration.codec)
            return give(nil, times, SessionError(.badData, "an access unit: \(error)"))
        }
        if units.isEmpty, !bytes.isEmpty {
            return give(nil, times, SessionError(.badData, "there is no NAL unit in \(bytes.count) bytes"))
        }
        // Only the first frame's time is known.
        var times = times
        for unit in units {
            try decode(unit, times)
            if unit.gateFacts.isPicture { times = nil }
        }
    }

    /// NAL units may come in any order: before there is a decoder, parameter sets go in front of the pictures.
    private func setsFirst(_ bytes: [UInt8]) -> [UInt8] {
        guard line == nil else { return bytes }
        let units = AnnexB.units(in: bytes.span.bytes, codec: configuration.codec)
        guard let slice = units.firstIndex(where: \.isVCL), units[slice...].contains(where: \.isParameterSet)
        else { return bytes }
        return AnnexB.write(
            units.filter(\.isParameterSet) + units.filter { !$0.isParameterSet }, of: bytes.span.bytes)
    }

    private func decode(_ unit: AccessUnit, _ times: Times?) throws(SessionError) {
        for set in unit.newParameterSets { parameters.append(set) }
        let decision = gate.admit(unit.gateFacts)
        state.note(droppedCount: gate.droppedCount)
        switch decision {
        case .drop: return
        case .ignore:
            let sets = unit.units.filter(\.isParameterSet)
            waitingBytes = Array((waitingBytes + AnnexB.write(sets, of: unit.bytes.span.bytes)).suffix(1 << 20))
        case .rebuildAndDecode:
            try drain()
            try openLine()
            try send(unit.bytes, times)
        case .decode: try send(waitingBytes + unit.bytes, times)
        }
    }

    private func send(_ bytes: [UInt8], _ times: Times?) throws(SessionError) {
        waitingBytes = []
        let timeBase = clock?.timeBase ?? Rational(1, 90_000)
        let ticks = try times.map { times throws(SessionError) in try self.ticks(times) }
        let packet: Packet
        do {
            packet = try Packet(bytes: bytes, pts: ticks, dts: nil, duration: 0, timeBase: timeBase)
        } catch {
            throw SessionError(error, while: "copying an access unit", else: .allocationFailed)
        }
        if let ticks, let times { pending.insert(times, at: ticks) }
        try tolerating(isTimed: ticks != nil) { line throws(SessionError) in try line.send(packet) }
        try takeFrames()
    }

    /// Bad data costs a frame; anything else may cost the decoder.
    private func tolerating(
        isTimed: Bool = true, _ body: (DecodingLine) throws(SessionError) -> Void
    ) throws(SessionError) {
        guard let line else { return }
        do throws(SessionError) { try body(line) } catch {
            if error.code.meansInvalidSession { return try lose(line, error) }
            // A frame with a time is missed when a later one comes out.
            if !isTimed { give(nil, nil, error) } else { lastFailure = error }
        }
    }
}

// MARK: Frames

extension DecompressionCore {
    /// A decoder that has nothing to give but errors is not asked forever.
    private static let maxErrors = 64

    private func takeFrames() throws(SessionError) {
        var errorCount = 0
        while line != nil, errorCount < Self.maxErrors {
            var frame: Frame?
            errorCount += 1
            try tolerating(isTimed: pending.count > 0) { line throws(SessionError) in
                frame = try line.receive()
                errorCount = frame == nil ? Self.maxErrors : 0
            }
            if let frame { try deliver(frame) }
        }
    }

    private func deliver(_ frame: Frame) throws(SessionError) {
        recovery.noteSuccess(cameOut: true)
        var times: Times?
        if let ticks = frame.pts {
            for lost in pending.removeAll(before: ticks) { give(nil, lost, Self.undecodable) }
            times = pending.remove(at: ticks)
        }
        let error =
            frame.isCorrupt ? SessionError(.badData, "a part of the picture was damaged, and is concealed") : nil
        var picture: PixelBuffer?
        try tolerating { line throws(SessionError) in picture = try line.deliver(frame) }
        give(picture, times, picture == nil ? lastFailure : error)
    }

    private static let undecodable = SessionError(.badData, "the frame's data could not be decoded")

    /// Everything comes out of the decoder, and it is done with.
    private func drain() throws(SessionError) {
        try tolerating { line throws(SessionError) in try line.send(nil) }
        try takeFrames()
        for lost in pending.removeAll() { give(nil, lost, Self.undecodable) }
        guard line != nil else { return }
        line = nil
        recovery.refresh()
    }

    private func give(_ picture: PixelBuffer?, _ times: Times?, _ error: SessionError?) {
        let frameDuration = (parameters.picture?.frameRate ?? configuration.fps ?? 25).reciprocal
        let time = times?.time ?? nextTime ?? MediaTime(0, frameDuration)
        let next = time.rescaled(to: frameDuration).ticks
        nextTime = MediaTime(next.addingReportingOverflow(1).partialValue, frameDuration)
        let duration = times == nil ? MediaTime(1, frameDuration) : times?.duration
        output(DecodedFrame(pixelBuffer: picture, presentationTime: time, duration: duration, error: error))
    }
}

// MARK: The decoder

extension DecompressionCore {
    private func adoptRefresh() throws(SessionError) {
        guard state.takeRefresh() else { return }
        try drain()
        gate.sessionLost()
        ladder.renew()
        ladder.pardon()
    }

    /// The decoder is gone, with all that it held; decoding goes on with the next key frame.
    private func lose(_ line: DecodingLine, _ error: SessionError) throws(SessionError) {
        lastFailure = error
        if !line.isProved { ladder.noteFailure(line.place.device) }
        self.line = nil
        ladder.renew()
        gate.sessionLost()
        for lost in pending.removeAll() { give(nil, lost, error) }
        guard recovery.noteFailure(error.code) != .giveUp else { throw finishSession(error) }
    }

    private func finishSession(_ error: SessionError) -> SessionError {
        ending = error
        line = nil
        for lost in pending.removeAll() { give(nil, lost, error) }
        end(.failure(error))
        return error
    }

    private func openLine() throws(SessionError) {
        while true {
            switch recovery.preparation {
            case .useSession: return
            case .giveUp: throw finishSession(lastFailure)
            case .createSession:
                do throws(SessionError) { line = try makeLine() } catch {
                    lastFailure = error
                    ladder.renew()
                }
                recovery.noteCreation(succeeded: line != nil)
            }
        }
    }

    private func makeLine() throws(SessionError) -> DecodingLine {
        let software = try ladder.openSoftware()
        let picture = parameters.picture
        let stream: InputStream
        do {
            stream = try InputStream(
                configuration.codec, parameterSets: parameters.annexB,
                timeBase: clock?.timeBase ?? Rational(1, 90_000))
        } catch {
            throw SessionError(error, while: "describing the stream", else: .allocationFailed)
        }
        var refusals: [SessionError] = []
        for offer in ladder.candidates(picture?.samples, picture?.size) {
            do throws(SessionError) {
                let line = try DecodingLine(
                    configuration, isRealTime: state.isRealTime, stream: stream, on: offer, of: ladder.generation,
                    software: software)
                state.noteDecoder(isHardware: offer.matrix.isHardware)
                return line
            } catch {
                refusals.append(error)
            }
        }
        throw refusals.first ?? SessionError(.noSuchDecoder, "no device here decodes this \(configuration.codec)")
    }
}
