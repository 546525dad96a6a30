import VTXMedia
import VTXSession

/// The part of a decompression session that runs on its queue.
actor DecompressionCore {
    nonisolated let configuration: VideoDecoderConfiguration
    nonisolated let state: DecompressionState
    nonisolated let queue = SessionQueue(label: "vtx.decompression")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    nonisolated let decoders: DecoderCandidates
    nonisolated let outputs: Outputs
    /// nil before the first parameter sets, and after the decoder has been lost.
    var decoder: SessionDecoder?
    /// The error that ended the session.
    private(set) var ending: SessionError?
    var gate = RandomAccessGate()
    var intake: AccessUnitAssembler
    /// The units that wait for room among the unread frames.
    private var backlog: ArraySlice<AccessUnitAssembler.Item> = []
    /// The format description of the latest sample.
    private var format: FormatDescription?
    var clock: MonotonicTimestamps?
    var pending = PendingFrames<FrameAnnotation>()
    var untimed = UntimedFrames()
    var dependencies = PictureDependencies()
    /// Why the next frames are missing; nil if their own data is the reason.
    var reasonForLoss: SessionError?
    var counter = FrameCounter()

    /// The destination of the frames.
    struct Outputs: Sendable {
        var give: DecompressionSession.OutputHandler
        var hasRoom: @Sendable () -> Bool
        var end: @Sendable (Result<Void, SessionError>) -> Void
    }

    init(
        _ configuration: VideoDecoderConfiguration, _ decoders: DecoderCandidates, _ outputs: Outputs
    ) {
        self.configuration = configuration
        self.decoders = decoders
        self.outputs = outputs
        state = DecompressionState(isRealTime: configuration.isRealTime)
        intake = AccessUnitAssembler(codec: configuration.codec)
    }
}

// MARK: What callers ask for

extension DecompressionCore {
    func put(_ sample: Sample, context: (any Sendable)?) throws(SessionError) {
        guard sample.formatDescription.codec == configuration.codec else {
            throw SessionError(
                .badParameter, "a session for \(configuration.codec) does not decode \(sample.formatDescription.codec)")
        }
        try checkAlive()
        let times = FrameAnnotation(
            time: sample.presentationTime, duration: sample.duration, context: context, isHidden: sample.isHidden)
        _ = try ticks(times)
        let isNew = format != sample.formatDescription
        format = sample.formatDescription
        guard !sample.data.isEmpty else {
            return backlog.append(.failure(SessionError(.badData, "the sample is empty"), times))
        }
        do throws(SessionError) {
            backlog += whole(try sample.byteStream(withParameterSets: isNew), times)
        } catch {
            backlog.append(.failure(error, times))
        }
    }

    func put(
        annexB bytes: [UInt8], at time: MediaTime?, duration: MediaTime?, context: (any Sendable)?
    ) throws(SessionError) {
        try checkAlive()
        _ = try configuration.codec.ofNALUnits("start codes")
        let times = time.map { FrameAnnotation(time: $0, duration: duration, context: context) }
        if let times { _ = try ticks(times) }
        backlog += whole(bytes, times)
    }

    func put(stream chunk: some Collection<UInt8>) throws(SessionError) {
        try checkAlive()
        backlog += intake.append(chunk)
    }

    /// Queues work for callers that cannot wait.
    nonisolated func submit(
        _ annotation: FrameAnnotation?,
        _ put: @escaping @Sendable (isolated DecompressionCore) throws(SessionError) -> Void
    ) throws(SessionError) {
        try state.signals.check()
        try state.admitSubmission()
        queue.async {
            self.assumeIsolated { core in
                do throws(SessionError) { try put(core) } catch { core.give(nil, annotation, error) }
            }
        }
    }

    /// Decodes waiting units as long as there is room for frames.
    ///
    /// - Returns: true if units still wait.
    func decodeBacklog() throws(SessionError) -> Bool {
        try checkAlive()
        try adoptRefresh()
        while outputs.hasRoom(), let item = backlog.popFirst() { try decode(item) }
        return !backlog.isEmpty
    }

    func flush() throws(SessionError) {
        try checkAlive()
        backlog += intake.finish()
        while let item = backlog.popFirst() { try decode(item) }
        try drain()
        gate.sessionLost()
    }

    func prepare() throws(SessionError) {
        try checkAlive()
        if intake.parameters.picture != nil { try openDecoder() }
    }

    nonisolated func invalidate() {
        state.signals.invalidate()
        outputs.end(.success(()))
        queue.async { self.assumeIsolated { $0.discard() } }
    }

    private func discard() {
        decoder = nil
        backlog = []
        _ = pending.removeAll()
    }

    /// Ends the session.
    ///
    /// - Returns: the error, for throwing.
    func finishSession(_ error: SessionError) -> SessionError {
        (decoder, ending) = (nil, error)
        giveLost(error)
        outputs.end(.failure(error))
        return error
    }

    private func checkAlive() throws(SessionError) {
        try state.signals.check()
        if let ending { throw ending }
    }

    private func whole(_ bytes: [UInt8], _ times: FrameAnnotation?) -> [AccessUnitAssembler.Item] {
        intake.append(whole: bytes, times, setsFirst: decoder == nil)
    }

    func ticks(_ times: FrameAnnotation) throws(SessionError) -> Int64 {
        let clock = clock ?? MonotonicTimestamps(first: times.time.timeBase)
        self.clock = clock
        return try clock.ticks(times.time)
    }
}
