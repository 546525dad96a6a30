public import VTXMedia

/// A session that decodes H.264, HEVC or AV1, on a GPU or in software (VideoToolbox: `VTDecompressionSession`).
///
/// It accepts samples, access units, or a byte stream in chunks of any size. Decoding begins at the first key frame
/// whose parameter sets are known; earlier frames are dropped and counted. Corrupt data costs its frame, never the
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

    /// The decoded frames, in display order. Empty if the session has an output handler.
    ///
    /// Decoded frames are large, so `decode` waits while ``maxUnreadFrames`` frames are unread: read them in a separate
    /// task. The wait ends when the task that decodes is cancelled or the session is invalidated. If the loop that
    /// reads has ended, `decode` throws `outputNotRead`.
    public let frames: SessionOutputs<DecodedFrame>

    /// The maximum number of decoded frames that wait to be read.
    public static let maxUnreadFrames = 16

    let core: DecompressionCore
    let queue: OutputQueue<DecodedFrame>
    var intake: DecompressionIntake { DecompressionIntake(core: core, frames: queue) }

    /// Creates a session. The decoder itself opens in ``prepare()`` or with the first key frame.
    ///
    /// - Parameters:
    ///   - configuration: The codec of the stream and the format of the decoded frames.
    ///   - output: A handler that receives each frame, serially on the session's queue. Pass nil to read ``frames``
    ///     instead.
    /// - Throws: ``SessionError``: `badParameter` if a value is out of range; `noSuchDecoder` if hardware is required
    ///   and none decodes the codec.
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

    /// Outputs every frame that the decoder holds back (C: `VTDecompressionSessionFinishDelayedFrames`,
    /// `...WaitForAsynchronousFrames`). Decoding then continues at a key frame.
    public func flush() async throws(SessionError) { try await core.flush() }

    /// Opens a decoder now if the parameter sets are known. Otherwise the decoder opens with the first key frame.
    public func prepare() async throws(SessionError) { try await core.prepare() }

    public func refresh() { core.state.signals.refresh() }
    public func invalidate() { core.invalidate() }

    /// Whether the session can decode another format (C: `VTDecompressionSessionCanAcceptFormatDescription`): any
    /// format of the session's codec, for which it opens a new decoder.
    public func canAccept(_ format: FormatDescription) -> Bool { format.codec == core.configuration.codec }
}

// MARK: Properties

extension DecompressionSession {
    public var codec: VideoCodec { core.configuration.codec }
    public var isUsingHardware: Bool { core.state.isUsingHardware }

    public var supportedProperties: [String: PropertyDescription] {
        [String: PropertyDescription](Self.properties, for: codec)
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
    /// Whether each frame comes out as soon as possible (``VideoDecoderConfiguration/isRealTime``). A change takes
    /// effect with the next decoder.
    public static var realTime: Self {
        Self(
            "RealTime", read: { $0.core.state.isRealTime },
            write: { session, value throws(SessionError) in
                try session.core.state.signals.check()
                session.core.state.setRealTime(value)
            })
    }

    /// Whether a GPU decodes (``VideoSession/isUsingHardware``). Read-only.
    public static var usingHardwareAcceleratedVideoDecoder: Self {
        Self("UsingHardwareAcceleratedVideoDecoder", read: { $0.isUsingHardware })
    }
}

extension SessionProperty where Session == DecompressionSession, Value == Int {
    /// The number of frames that were dropped because they came before the first parameter sets and key frame, or
    /// between the loss of a decoder and the next key frame. Read-only.
    public static var numberOfFramesDropped: Self {
        Self("NumberOfFramesDropped", read: { $0.core.state.droppedCount })
    }

    /// The number of decoders opened so far: one, and another for each change of the parameter sets and each lost
    /// decoder. Read-only.
    public static var numberOfDecoders: Self { Self("NumberOfDecoders", read: { $0.core.state.decoderCount }) }
}

/// The result of a coded frame (VideoToolbox: the arguments of `VTDecompressionOutputCallback`).
public struct DecodedFrame: Sendable {
    /// The decoded frame; nil if it could not be decoded.
    public var pixelBuffer: PixelBuffer?
    public var presentationTime: MediaTime
    /// nil if unknown.
    public var duration: MediaTime?
    /// The value that was passed in with the frame (`sourceFrameRefCon`); nil if the frame had no timestamp.
    public var context: (any Sendable)?
    /// Why there is no pixel buffer, or why it is damaged: a decoder conceals what it can.
    ///
    /// `badData` if the frame's own data are corrupt. `referenceMissing` if a reference picture was missing. Because
    /// the actual references are unknown, frames that follow a damaged frame up to the next random access point are
    /// also reported as `referenceMissing`, except intra frames.
    public var error: SessionError?
}
