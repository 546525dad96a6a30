public import VTXMedia

/// Decodes H.264, HEVC or AV1, on a GPU or in software (VideoToolbox: `VTDecompressionSession`).
///
/// It takes samples, access units, or a byte stream in pieces of any size. Nothing is decoded before the first
/// parameter sets and the first key frame: such frames are dropped, and counted. Bad data costs its frame, never the
/// session.
///
///     let session = try DecompressionSession(VideoDecoderConfiguration(codec: .h264))
///     async let shown: Void = { for try await frame in session.frames { show(frame) } }()
///     while let chunk = try socket.read() { try await session.decode(stream: chunk) }
///     try await session.flush()
///     session.invalidate()
///     try await shown
public final class DecompressionSession: VideoSession {
    public typealias OutputHandler = @Sendable (DecodedFrame) -> Void

    /// The frames, in the order in which they are shown. Empty for a session with a handler.
    ///
    /// Pictures are large, so `decode` waits while ``maxUnreadFrames`` have not been read: read in a task of its own.
    /// It waits no longer when its own task is cancelled, or the session is invalidated; when the loop that reads ends,
    /// it throws.
    public let frames: SessionOutputs<DecodedFrame>

    /// How many frames may wait to be read.
    public static let maxUnreadFrames = 16

    let core: DecompressionCore
    let queue: OutputQueue<DecodedFrame>
    var intake: DecompressionIntake { DecompressionIntake(core: core, frames: queue) }

    /// - Parameters:
    ///   - configuration: the codec, and what frames are to come out as.
    ///   - output: gets each frame, on the session's queue, one after the other; nil to read ``frames``.
    /// - Throws: ``SessionError``: `badParameter` for a value that is not allowed, `noSuchDecoder` where hardware is
    ///   required and there is none for the codec.
    public convenience init(
        _ configuration: VideoDecoderConfiguration, output: OutputHandler? = nil
    ) throws(SessionError) {
        try self.init(configuration, backends: .standard, output: output)
    }

    init(
        _ configuration: VideoDecoderConfiguration, backends: SharedBackends, output: OutputHandler? = nil
    ) throws(SessionError) {
        try configuration.check()
        let decoders = try DecoderCandidates(configuration, backends)
        let queue = OutputQueue<DecodedFrame>(limit: Self.maxUnreadFrames)
        self.queue = queue
        frames = SessionOutputs(queue: queue)
        core = DecompressionCore(
            configuration, decoders,
            .init(give: output ?? { queue.put($0) }, hasRoom: { queue.hasRoom }, end: { queue.end($0) }))
        if output != nil { queue.end(.success(())) }
    }

    deinit { core.invalidate() }

    /// Gives out every frame that is held back (C: `VTDecompressionSessionFinishDelayedFrames`,
    /// `...WaitForAsynchronousFrames`). What is decoded afterwards has to begin with a key frame.
    public func flush() async throws(SessionError) { try await core.flush() }

    /// Opens a decoder now, where the parameter sets are known already; else it is opened with the first key frame.
    public func prepare() async throws(SessionError) { try await core.prepare() }

    public func refresh() { core.state.signals.refresh() }
    public func invalidate() { core.invalidate() }

    /// Whether a decoder that is open for one format goes on with another (C:
    /// `VTDecompressionSessionCanAcceptFormatDescription`): always, by being built again, as long as the codec is its
    /// own.
    public func canAccept(_ format: FormatDescription) -> Bool { format.codec == core.configuration.codec }
}

// MARK: Properties

extension DecompressionSession {
    public var isUsingHardware: Bool { core.state.isUsingHardware }

    public var supportedProperties: [String: PropertyDescription] {
        [String: PropertyDescription](Self.properties, of: self)
    }

    public func set<Value>(
        _ property: SessionProperty<DecompressionSession, Value>, to value: Value
    ) throws(SessionError) {
        try property.set(value, of: self)
    }

    public func value<Value>(
        of property: SessionProperty<DecompressionSession, Value>
    ) throws(SessionError) -> Value {
        try property.value(of: self)
    }

    public func set(_ values: [String: any Sendable]) throws(SessionError) {
        var entries: [(PropertyEntry<DecompressionSession>, any Sendable)] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            entries.append((try writable(name, among: Self.properties), value))
        }
        for (entry, value) in entries { try entry.set(value, self) }
    }

    private static let properties: [PropertyEntry<DecompressionSession>] = [
        .init(SessionProperty<DecompressionSession, Bool>.realTime),
        .init(SessionProperty<DecompressionSession, Bool>.usingHardwareAcceleratedVideoDecoder),
        .init(SessionProperty<DecompressionSession, Int>.numberOfFramesDropped),
        .init(SessionProperty<DecompressionSession, Int>.numberOfDecoders),
    ]
}

extension SessionProperty where Session == DecompressionSession, Value == Bool {
    /// ``VideoDecoderConfiguration/isRealTime``. It holds from the next decoder on.
    public static var realTime: Self {
        Self(
            "RealTime", read: { $0.core.state.isRealTime },
            write: { session, value throws(SessionError) in
                try session.core.state.signals.check()
                session.core.state.setRealTime(value)
            })
    }

    /// ``VideoSession/isUsingHardware``. Read-only.
    public static var usingHardwareAcceleratedVideoDecoder: Self {
        Self("UsingHardwareAcceleratedVideoDecoder", read: { $0.isUsingHardware })
    }
}

extension SessionProperty where Session == DecompressionSession, Value == Int {
    /// Frames that could not be decoded because they came before the first parameter sets and the first key frame, or
    /// between the loss of a decoder and the next key frame. Read-only.
    public static var numberOfFramesDropped: Self {
        Self("NumberOfFramesDropped", read: { $0.core.state.droppedCount })
    }

    /// How often a decoder was built: once, and again for each change of the parameter sets and each loss. Read-only.
    public static var numberOfDecoders: Self { Self("NumberOfDecoders", read: { $0.core.state.decoderCount }) }
}

/// What became of a coded frame (VideoToolbox: the arguments of `VTDecompressionOutputCallback`).
public struct DecodedFrame: Sendable {
    /// nil for a frame that could not be decoded.
    public var pixelBuffer: PixelBuffer?
    public var presentationTime: MediaTime
    /// nil where it is not known.
    public var duration: MediaTime?
    /// What was put in with the frame (`sourceFrameRefCon`); nil where its time was not given either.
    public var context: (any Sendable)?
    /// Why there is no picture, or why it is damaged: a decoder conceals what it can.
    ///
    /// `badData` for a frame whose own data are damaged. `referenceMissing` for one that was decoded without a picture
    /// that it refers to, and for those that follow a damaged frame up to the next random access point, intra frames
    /// excepted: which pictures they really refer to is not known.
    public var error: SessionError?
}
