import VTXFFmpeg
import VTXMedia
import VTXSession

/// A frame that is to be encoded, as it was put in.
struct EncodingRequest: Sendable {
    var picture: PixelBuffer
    var time: MediaTime
    var duration: MediaTime?
    var options: FrameOptions
}

/// The part of a compression session that works on its queue.
actor CompressionCore {
    nonisolated let settings: CompressionSettings
    nonisolated let ladder: EncoderLadder
    private nonisolated let queue = SessionQueue(label: "vtx.compression")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    private nonisolated let output: CompressionSession.OutputHandler
    private nonisolated let end: @Sendable (Result<Void, SessionError>) -> Void
    private var recovery = SessionRecovery()
    private var line: EncodingLine?
    /// nil before the first frame.
    private var clock: SessionClock?
    private var color: ColorDescription?
    /// What the encoder has not given out: after a failure, all of it is put into the next one.
    private var pending = PendingFrames<(ticks: Int64, EncodingRequest)>()
    private var window: DataRateWindow
    private var limits: [DataRateLimit]
    private var keyFrames: KeyFrameClock?
    private var keyFrameInterval = KeyFrameInterval()
    private var lastDecodingTicks: Int64?
    /// Why the session has ended.
    private var ending: SessionError?
    private var lastFailure = SessionError(.notAvailableNow, "no encoder could be opened")

    init(
        _ settings: CompressionSettings, _ ladder: EncoderLadder,
        output: @escaping CompressionSession.OutputHandler,
        end: @escaping @Sendable (Result<Void, SessionError>) -> Void
    ) {
        self.settings = settings
        self.ladder = ladder
        self.output = output
        self.end = end
        limits = settings.configuration.dataRateLimits
        window = DataRateWindow(limits)
    }
}

// MARK: What callers ask for

extension CompressionCore {
    func encode(_ request: EncodingRequest) throws(SessionError) {
        try checkAlive()
        let ticks = try advance(to: request)
        try adoptSettings()
        let seconds = request.time.seconds
        guard window.hasRoom(at: seconds) else { return give(request, .dropped) }
        var request = request
        if keyFrames?.mustForce(at: ticks) ?? false { request.options.forcesKeyFrame = true }
        pending.insert((ticks, request), at: ticks)
        try work(on: [(ticks, request)])
    }

    nonisolated func submit(_ request: EncodingRequest) throws(SessionError) {
        guard !settings.isInvalid else { throw Self.invalid }
        let isAdmitted = settings.admit()
        queue.async { self.assumeIsolated { $0.encodeSubmitted(request, isAdmitted: isAdmitted) } }
    }

    private func encodeSubmitted(_ request: EncodingRequest, isAdmitted: Bool) {
        guard isAdmitted else { return give(request, .dropped) }
        settings.noteStart()
        do throws(SessionError) { try encode(request) } catch { give(request, .failed(error)) }
    }

    func complete(until time: MediaTime?) throws(SessionError) {
        try checkAlive()
        guard let clock, pending.count > 0 else { return }
        if let time, !pending.contains(upTo: try clock.ticks(time)) { return }
        try work(on: [], finishing: true)
    }

    func prepare() throws(SessionError) {
        try checkAlive()
        try adoptSettings()
        try openLine()
    }

    func makePool() throws(SessionError) -> PixelBufferPool {
        try prepare()
        guard let line else { throw lastFailure }
        return try line.makePool()
    }

    nonisolated func invalidate() {
        settings.invalidate()
        end(.success(()))
        queue.async { self.assumeIsolated { $0.discard() } }
    }

    private func discard() {
        line = nil
        _ = pending.removeAll()
    }
}

// MARK: Frames

extension CompressionCore {
    private static let invalid = SessionError(.invalidSession, "the session has been invalidated")

    private func checkAlive() throws(SessionError) {
        if settings.isInvalid { throw Self.invalid }
        if let ending { throw ending }
    }

    /// The first frame decides the unit of time, and the colours that were left open.
    private func advance(to request: EncodingRequest) throws(SessionError) -> Int64 {
        var clock = clock ?? SessionClock(first: request.time.timeBase)
        let ticks = try clock.advance(to: request.time)
        self.clock = clock
        if color == nil { color = request.picture.encodedColor }
        return ticks
    }

    /// Frames go into the encoder, and out comes what is ready. A session that turns out to be invalid is built anew,
    /// and gets all frames that had not come out.
    private func work(on fresh: [(Int64, EncodingRequest)], finishing: Bool = false) throws(SessionError) {
        var frames = fresh
        while true {
            do throws(SessionError) {
                if try openLine() { frames = pending.contents }
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
            try line?.send(request, at: ticks)
            recovery.noteSuccess(cameOut: false)
        } catch {
            if error.code.meansInvalidSession { throw error }
            _ = pending.remove(at: ticks)
            give(request, .failed(error))
            if recovery.noteFailure(error.code) == .giveUp { throw finishSession(error) }
        }
        try takeOutputs()
    }

    private func finish() throws(SessionError) {
        try line?.finish()
        try takeOutputs()
        close()
        // Frames that an encoder swallows would otherwise be waited for forever.
        for (_, request) in pending.removeAll() {
            give(request, .failed(SessionError(.hardwareMalfunction, "the encoder gave nothing out for a frame")))
        }
    }

    /// Returns where another attempt is to be made.
    private func recover(from error: SessionError) throws(SessionError) {
        if let ending { throw ending }
        lastFailure = error
        if let line, !line.isProved { ladder.noteFailure(line.capabilities.device) }
        line = nil
        ladder.renew()
        guard recovery.noteFailure(error.code) == .retry else { throw finishSession(error) }
    }

    /// - Returns: the error, for throwing.
    private func finishSession(_ error: SessionError) -> SessionError {
        ending = error
        line = nil
        for (_, request) in pending.removeAll() { give(request, .failed(error)) }
        end(.failure(error))
        return error
    }
}

// MARK: The encoder

extension CompressionCore {
    private var wish: EncodingWish {
        let configuration = settings.configuration
        return EncodingWish(
            configuration, codec: ladder.codec, color: configuration.color.filled(from: color ?? .unspecified),
            timeBase: (clock ?? SessionClock(first: Rational(1, 90_000))).timeBase)
    }

    /// Frames from here on are encoded as the properties say now. Those that are on their way come out first.
    private func adoptSettings() throws(SessionError) {
        if settings.takeRefresh() {
            if pending.count > 0 { try work(on: [], finishing: true) }
            close()
            ladder.renew()
            ladder.pardon()
        }
        let configuration = settings.configuration
        if limits != configuration.dataRateLimits {
            limits = configuration.dataRateLimits
            window = DataRateWindow(limits)
        }
        adopt(
            KeyFrameInterval(frames: configuration.gopSize, seconds: configuration.maxKeyFrameIntervalDuration))
        guard let line, line.wish != wish else { return }
        if line.sentCount > 0, pending.count > 0 { try work(on: [], finishing: true) }
        close()
    }

    private func adopt(_ interval: KeyFrameInterval) {
        guard let clock, keyFrameInterval != interval else { return }
        keyFrameInterval = interval
        keyFrames = interval.seconds.map { seconds in
            let ticks = MediaTime(seconds: seconds).rescaled(to: clock.timeBase).ticks
            return KeyFrameClock(interval: ticks, frameCount: interval.frames ?? .max)
        }
    }

    private func close() {
        line = nil
        recovery.refresh()
    }

    /// - Returns: true where the encoder is a new one.
    @discardableResult
    private func openLine() throws(SessionError) -> Bool {
        var isNew = false
        while true {
            switch recovery.preparation {
            case .useSession: return isNew
            case .giveUp: throw finishSession(lastFailure)
            case .createSession:
                do throws(SessionError) {
                    line = try makeLine()
                    isNew = true
                } catch {
                    lastFailure = error
                    ladder.renew()
                }
                recovery.noteCreation(succeeded: line != nil)
            }
        }
    }

    /// The first device that really opens.
    private func makeLine() throws(SessionError) -> EncodingLine {
        let (wish, configuration) = (wish, settings.configuration)
        let software = try ladder.openSoftware()
        var refusals: [SessionError] = []
        for offer in ladder.candidates(configuration) {
            do throws(SessionError) {
                let line = try EncodingLine(wish, on: offer, of: ladder.generation, software: software)
                settings.note(.init(name: offer.matrix.deviceName, isHardware: offer.matrix.isHardware))
                return line
            } catch {
                refusals.append(error)
            }
        }
        throw refusals.first ?? SessionError(.notAvailableNow, "no device here encodes \(ladder.codec) any more")
    }
}

// MARK: Samples

extension CompressionCore {
    private func takeOutputs() throws(SessionError) {
        while let line {
            let wasProved = line.isProved
            guard let packet = try line.receive() else { return }
            if !wasProved { ladder.pardon() }
            let description = try line.formatDescription()
            guard let ticks = packet.pts, let (_, request) = pending.remove(at: ticks) else { continue }
            let sample = try makeSample(packet, ticks, request, description, line.wish.encoder.timeBase)
            window.note(byteCount: sample.data.count, at: request.time.seconds, isKeyFrame: sample.isKeyFrame)
            if sample.isKeyFrame { keyFrames?.noteKeyFrame(at: ticks) }
            recovery.noteSuccess(cameOut: true)
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

    private func give(_ request: EncodingRequest, _ status: CompressionOutput.Status) {
        output(CompressionOutput(presentationTime: request.time, duration: request.duration, status: status))
    }
}

extension PixelBuffer {
    /// What is encoded of it says this: RGB becomes YUV, by BT.709 or BT.2020.
    fileprivate var encodedColor: ColorDescription {
        var color = color
        if format.isRGB {
            color.matrix = color.primaries == 9 ? 9 : 1
            color.isFullRange = false
        }
        return color
    }
}
