public import VTXMedia
import VTXSession

/// Encodes frames to H.264, HEVC or AV1, on a GPU or in software (VideoToolbox: `VTCompressionSession`).
///
///     let session = try CompressionSession(VideoEncoderConfiguration(size: PixelSize(1280, 720)))
///     async let written: Void = { for try await sample in session.samples { write(try sample.annexB()) } }()
///     for (index, picture) in pictures.enumerated() {
///         try await session.encode(picture, at: MediaTime(Int64(index), Rational(1, 30)))
///     }
///     try await session.flush()
///     session.invalidate()
///     try await written
public final class CompressionSession: VideoSession {
    public typealias OutputHandler = @Sendable (CompressionOutput) -> Void

    /// What became of each frame, in the order in which frames are decoded. Empty for a session with a handler.
    public let outputs: SessionOutputs<CompressionOutput>
    /// The codec: the one that was asked for, or the one that was chosen.
    public let codec: VideoCodec

    /// How many results may wait once their reader has ended. While it reads, or before it begins, there is no bound.
    public static let maxUnreadSamples = 64

    let core: CompressionCore
    private let queue: OutputQueue<CompressionOutput>
    var settings: CompressionSettings { core.settings }

    /// Looks for a device that can do it. The encoder itself is opened by `prepare()`, or with the first frame.
    ///
    /// - Parameters:
    ///   - configuration: what frames are to become.
    ///   - output: gets what becomes of each frame, on the session's queue, one after the other; nil to read
    ///     ``outputs`` or ``samples``.
    /// - Throws: ``SessionError``: `badParameter` for a value that is not allowed, `noSuchEncoder` where no device
    ///   encodes the codec and profile in this size, `propertyNotSupported` for what AV1 does not have.
    public convenience init(
        _ configuration: VideoEncoderConfiguration = VideoEncoderConfiguration(), output: OutputHandler? = nil
    ) throws(SessionError) {
        try self.init(configuration, backends: .standard, output: output)
    }

    init(
        _ configuration: VideoEncoderConfiguration, backends: SharedBackends, output: OutputHandler? = nil
    ) throws(SessionError) {
        try configuration.check()
        let encoders = try EncoderCandidates(configuration, backends)
        let queue = OutputQueue<CompressionOutput>(limit: Self.maxUnreadSamples)
        self.queue = queue
        codec = encoders.codec
        outputs = SessionOutputs(queue: queue)
        core = CompressionCore(
            CompressionSettings(configuration), encoders, output: output ?? { queue.put($0) }, end: { queue.end($0) })
        if output != nil { queue.end(.success(())) }
    }

    deinit { core.invalidate() }

    /// The samples alone: what ``outputs`` has, without frames that were analyzed, dropped or failed.
    public var samples: AsyncCompactMapSequence<SessionOutputs<CompressionOutput>, Sample> {
        outputs.compactMap { $0.sample }
    }

    // MARK: Frames

    /// Encodes a frame. Returns when the encoder has taken it, which may be before its sample comes out.
    ///
    /// - Parameters:
    ///   - picture: of any size and format that is in ``PixelBuffer/formats``; see
    ///     ``VideoEncoderConfiguration/scalingMode``.
    ///   - time: later than that of the frame before.
    ///   - duration: nil where it is not known.
    ///   - options: what is wanted of this frame alone.
    ///   - context: comes out with the frame, as ``CompressionOutput/context`` (C: `sourceFrameRefcon`).
    /// - Throws: ``SessionError``: `badParameter` for a time that does not rise, or a region outside the picture;
    ///   `invalidSession` after ``invalidate()``; `outputNotRead` where ``maxUnreadSamples`` wait and the loop that read
    ///   them has ended; the reason for which the session has ended. A frame that fails throws nothing: it is reported in ``outputs``.
    public func encode(
        _ picture: PixelBuffer, at time: MediaTime, duration: MediaTime? = nil, options: FrameOptions = FrameOptions(),
        context: (any Sendable)? = nil
    ) async throws(SessionError) {
        try queue.checkReader()
        try await core.encode(
            EncodingRequest(picture: picture, time: time, duration: duration, options: options, context: context))
    }

    /// The same for callers that cannot wait, such as a camera's thread: the frame is encoded after those that wait
    /// already. When ``maxWaitingFrames`` wait, the frame is dropped, and reported as such.
    ///
    /// - Throws: ``SessionError``: `invalidSession`, `outputNotRead`. What `encode` would throw is reported as the
    ///   frame's failure.
    public func submit(
        _ picture: PixelBuffer, at time: MediaTime, duration: MediaTime? = nil, options: FrameOptions = FrameOptions(),
        context: (any Sendable)? = nil
    ) throws(SessionError) {
        try queue.checkReader()
        try core.submit(
            EncodingRequest(picture: picture, time: time, duration: duration, options: options, context: context))
    }

    /// How many submitted frames may wait for the encoder.
    public static let maxWaitingFrames = 8

    /// Returns when every frame up to a time has come out (C: `VTCompressionSessionCompleteFrames`). Where frames had
    /// to be forced out of the encoder, the next one is a key frame.
    ///
    /// - Throws: ``SessionError``: the reason for which the session has ended.
    public func flush(until time: MediaTime) async throws(SessionError) { try await core.complete(until: time) }

    /// The same for all frames.
    public func flush() async throws(SessionError) { try await core.complete(until: nil) }

    /// Opens the encoder now (C: `VTCompressionSessionPrepareToEncodeFrames`).
    ///
    /// - Throws: ``SessionError``: why no device could be opened.
    public func prepare() async throws(SessionError) { try await core.prepare() }

    public func refresh() { settings.signals.refresh() }
    public func invalidate() { core.invalidate() }

    /// Pictures of the session's size in a format that its encoder takes as it is, on a surface where it is a GPU's
    /// (C: `VTCompressionSessionGetPixelBufferPool`). It belongs to the encoder that is open now: ask again after
    /// ``refresh()``.
    ///
    /// - Throws: ``SessionError``: why no device could be opened.
    public func pixelBufferPool() async throws(SessionError) -> PixelBufferPool { try await core.makePool() }
}

// MARK: Properties

extension CompressionSession {
    public var isUsingHardware: Bool { settings.device?.isHardware ?? false }

    public var supportedProperties: [String: PropertyDescription] {
        [String: PropertyDescription](CompressionProperties.all, of: self)
    }

    public func set<Value>(
        _ property: SessionProperty<CompressionSession, Value>, to value: Value
    ) throws(SessionError) {
        try property.set(value, of: self)
    }

    public func value<Value>(
        of property: SessionProperty<CompressionSession, Value>
    ) throws(SessionError) -> Value {
        try property.value(of: self)
    }
}

/// What became of a frame (VideoToolbox: the arguments of `VTCompressionOutputCallback`).
public struct CompressionOutput: Sendable {
    public enum Status: Sendable {
        case encoded(Sample)
        /// Looked at in the first of two passes: its sample comes in the second (``CompressionSession/beginPass()``).
        case analyzed
        /// Left out, because a data-rate limit or too many waiting frames forbade it (`kVTEncodeInfo_FrameDropped`).
        case dropped
        case failed(SessionError)
    }

    public var presentationTime: MediaTime
    public var duration: MediaTime?
    /// What was put in with the frame (`sourceFrameRefCon`).
    public var context: (any Sendable)?
    public var status: Status

    /// nil for a frame that was analyzed, dropped, or failed.
    public var sample: Sample? {
        if case .encoded(let sample) = status { sample } else { nil }
    }

    public var error: SessionError? {
        if case .failed(let error) = status { error } else { nil }
    }

    public var isDropped: Bool {
        if case .dropped = status { true } else { false }
    }
}

/// What is wanted of one frame (VideoToolbox: `frameProperties`).
public struct FrameOptions: Sendable, Hashable {
    /// This frame becomes an IDR picture (`kVTEncodeFrameOptionKey_ForceKeyFrame`). SVT-AV1 takes no key frames in
    /// mid-stream: all that it holds comes out, and another encoder begins with this one.
    public var forcesKeyFrame: Bool
    /// Parts of the picture that are to be better or worse than the rest; of two that overlap, the first one counts. One
    /// over the whole picture shifts this frame's quantizer against its neighbors'. x264 takes them, and VA-API
    /// drivers with `VAConfigAttribEncROI`; elsewhere the frame fails with `propertyNotSupported`.
    public var regions: [RegionOfInterest]

    public init(forcesKeyFrame: Bool = false, regions: [RegionOfInterest] = []) {
        self.forcesKeyFrame = forcesKeyFrame
        self.regions = regions
    }

    public static let keyFrame = FrameOptions(forcesKeyFrame: true)

    /// - Throws: `.badParameter` for a region that the encoded picture does not have, or too large an offset.
    func check(for picture: PixelSize) throws(SessionError) {
        for region in regions {
            guard region.isInside(picture) else {
                throw SessionError(
                    .badParameter,
                    "a region of \(region.size) at \(region.x), \(region.y) cannot be; allowed: one inside \(picture)")
            }
            guard RegionOfInterest.qpOffsets.contains(region.qpOffset) else {
                throw SessionError(
                    .badParameter, "a region's qpOffset cannot be \(region.qpOffset); allowed: -51 to 51")
            }
        }
    }
}
