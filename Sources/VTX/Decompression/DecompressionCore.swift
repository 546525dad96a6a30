import VTXMedia
import VTXSession

/// The part of a decompression session that runs on its queue.
actor DecompressionCore {
    nonisolated let configuration: VideoDecoderConfiguration
    nonisolated let state: DecompressionState
    nonisolated let queue = SessionQueue(label: "vtx.decompression")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    nonisolated let decoders: DecoderCandidates
    nonisolated let input: DecompressionInput
    nonisolated let outputs: Outputs
    /// nil before the first parameter sets, and after the decoder has been lost.
    var decoder: SessionDecoder? {
        didSet { input.note(hasDecoder: decoder != nil) }
    }
    /// The error that ended the session.
    private(set) var ending: SessionError?
    var gate = RandomAccessGate()
    var parameters: StreamParameters
    var heldSets = HeldParameterSets()
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
        input = DecompressionInput(codec: configuration.codec)
        parameters = StreamParameters(codec: configuration.codec)
    }
}

// MARK: What callers ask for

extension DecompressionCore {
    /// Reports an error of input that a caller cannot wait for.
    nonisolated func report(_ error: SessionError, _ annotation: FrameAnnotation?) {
        queue.async { self.assumeIsolated { $0.give(nil, annotation, error) } }
    }

    /// Decodes waiting units as long as there is room for frames.
    ///
    /// - Returns: true if units still wait.
    func decodeBacklog() throws(SessionError) -> Bool {
        try checkAlive()
        try adoptRefresh()
        while outputs.hasRoom(), let item = input.next() { try decode(item) }
        return !input.isEmpty
    }

    func flush() throws(SessionError) {
        try checkAlive()
        input.finish()
        while let item = input.next() { try decode(item) }
        try drain()
        gate.sessionLost()
    }

    func prepare() throws(SessionError) {
        try checkAlive()
        if parameters.picture != nil { try openDecoder() }
    }

    nonisolated func invalidate() {
        state.signals.invalidate()
        outputs.end(.success(()))
        queue.async { self.assumeIsolated { $0.discard() } }
    }

    private func discard() {
        decoder = nil
        input.end(SessionError(.invalidSession, "the session has been invalidated"))
        _ = pending.removeAll()
    }

    /// Ends the session.
    ///
    /// - Returns: the error, for throwing.
    func finishSession(_ error: SessionError) -> SessionError {
        (decoder, ending) = (nil, error)
        input.end(error)
        giveLost(error)
        outputs.end(.failure(error))
        return error
    }

    private func checkAlive() throws(SessionError) {
        try state.signals.check()
        if let ending { throw ending }
    }
}
