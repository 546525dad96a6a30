import VTXMedia
import VTXSession

/// A frame to be encoded, as passed in.
struct EncodingRequest: Sendable {
    var picture: PixelBuffer
    var time: MediaTime
    var duration: MediaTime?
    var options: FrameOptions
    var context: (any Sendable)?
}

/// The part of a compression session that runs on its queue.
actor CompressionCore {
    nonisolated let settings: CompressionSettings
    nonisolated let encoders: EncoderCandidates
    nonisolated let queue = SessionQueue(label: "vtx.compression")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    nonisolated let output: CompressionSession.OutputHandler
    nonisolated let end: @Sendable (Result<Void, SessionError>) -> Void
    /// nil before the first frame, and after a change of properties.
    var encoder: SessionEncoder?
    /// The error that ended the session.
    var ending: SessionError?
    /// The frames that the encoder has not output.
    var pending = PendingFrames<(ticks: Int64, EncodingRequest)>() {
        didSet { settings.note(pendingCount: pending.count) }
    }
    /// nil before the first frame.
    var clock: MonotonicTimestamps?
    var color: ColorDescription?
    var bitDepth: Int?
    var window: DataRateWindow
    var keyFrames: KeyFrameScheduler?
    var keyFrameInterval = KeyFrameInterval()
    var lastDecodingTicks: Int64?
    /// The number of frames sent since the last key frame, as far as known before it comes out.
    var framesInGroup = 0
    var passes = CompressionPasses()

    init(
        _ settings: CompressionSettings, _ encoders: EncoderCandidates,
        output: @escaping CompressionSession.OutputHandler,
        end: @escaping @Sendable (Result<Void, SessionError>) -> Void
    ) {
        self.settings = settings
        self.encoders = encoders
        self.output = output
        self.end = end
        window = DataRateWindow(settings.configuration.dataRateLimits)
    }
}

// MARK: What callers ask for

extension CompressionCore {
    func encode(_ request: EncodingRequest) throws(SessionError) {
        if let (ticks, request) = try admit(request) { try send(request, at: ticks) }
    }

    /// - Returns: nil if the data rate has no room for the frame.
    private func admit(_ request: EncodingRequest) throws(SessionError) -> (Int64, EncodingRequest)? {
        try checkAlive()
        let regions = try request.options.regions(in: settings.configuration.codedSize)
        let ticks = try advance(to: request)
        adoptLimits()
        guard window.hasRoom(at: request.time.seconds, waiting: pending.contents.map(\.1.time.seconds)) else {
            give(request, .dropped)
            return nil
        }
        var request = request
        request.options.regions = regions
        if keyFrames?.mustForce(at: ticks) ?? false { request.options.forcesKeyFrame = true }
        try adoptSettings(atKeyFrame: request.options.forcesKeyFrame || isGroupFull)
        if request.options.forcesKeyFrame { try beginGroup() }
        framesInGroup = request.options.forcesKeyFrame || isGroupFull ? 1 : framesInGroup + 1
        try passes.note()
        pending.insert((ticks, request), at: ticks)
        return (ticks, request)
    }

    nonisolated func submit(_ request: EncodingRequest) throws(SessionError) {
        try settings.signals.check()
        let isAdmitted = settings.admit()
        queue.async { self.assumeIsolated { $0.encodeSubmitted(request, isAdmitted: isAdmitted) } }
    }

    private func encodeSubmitted(_ request: EncodingRequest, isAdmitted: Bool) {
        guard isAdmitted else { return give(request, .dropped) }
        settings.noteStart()
        let admitted: (Int64, EncodingRequest)?
        do throws(SessionError) { admitted = try admit(request) } catch { return give(request, .failed(error)) }
        // From here on, errors are reported with each frame that they cost.
        if let (ticks, request) = admitted { try? send(request, at: ticks) }
    }

    func complete(until time: MediaTime?) throws(SessionError) {
        try checkAlive()
        // Another encoder would find out everything once more.
        if passes.current != nil { throw CompressionPasses.unfinished }
        if let clock, let time, !pending.contains(upTo: try clock.ticks(time)) { return }
        try finishEncoder()
    }

    func prepare() throws(SessionError) {
        try checkAlive()
        try adoptSettings(atKeyFrame: false)
        _ = try openEncoder()
    }

    func makePool() throws(SessionError) -> PixelBufferPool {
        try checkAlive()
        try adoptSettings(atKeyFrame: false)
        return try openEncoder().makePool()
    }

    nonisolated func invalidate() {
        settings.signals.invalidate()
        end(.success(()))
        queue.async { self.assumeIsolated { $0.discard() } }
    }

    private func discard() {
        encoder = nil
        _ = pending.removeAll()
    }

    func checkAlive() throws(SessionError) {
        try settings.signals.check()
        if let ending { throw ending }
    }

    /// Takes the time base from the first frame, and the colors and bit depth that the configuration leaves open.
    private func advance(to request: EncodingRequest) throws(SessionError) -> Int64 {
        var clock = clock ?? MonotonicTimestamps(first: request.time.timeBase)
        let ticks = try clock.advance(to: request.time)
        self.clock = clock
        if color == nil { (color, bitDepth) = (request.picture.encodedColor, request.picture.format.bitDepth) }
        return ticks
    }
}
