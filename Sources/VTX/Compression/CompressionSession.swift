public import VTXMedia
import VTXSession

/// A session that encodes frames to H.264, HEVC or AV1, on a GPU or in software (VideoToolbox: `VTCompressionSession`).
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

    /// The result of each frame, in decoding order. Empty if the session has an output handler.
    public let outputs: SessionOutputs<CompressionOutput>
    /// The codec of the output: the configured one, or the one the session chose if the configuration leaves it open.
    public let codec: VideoCodec

    /// The number of results that may wait after the loop that reads ``outputs`` has ended. There is no limit before
    /// the first loop begins or while one is reading.
    public static let maxUnreadSamples = 64

    let core: CompressionCore
    private let queue: OutputQueue<CompressionOutput>
    var settings: CompressionSettings { core.settings }

    /// Creates a session and looks for a device that supports the configuration. The encoder itself opens in
    /// ``prepare()`` or with the first frame.
    ///
    /// - Parameters:
    ///   - configuration: The codec, size, rate and other settings of the output.
    ///   - output: A handler that receives the result of each frame, serially on the session's queue. Pass nil to read
    ///     ``outputs`` or ``samples`` instead.
    /// - Throws: ``SessionError``: `badParameter` if a value is out of range; `noSuchEncoder` if no device encodes this
    ///   codec and profile at this size; `propertyNotSupported` for a setting that AV1 does not support.
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

    /// The encoded samples: ``outputs`` without the frames that were analyzed, dropped or failed.
    public var samples: AsyncCompactMapSequence<SessionOutputs<CompressionOutput>, Sample> {
        outputs.compactMap { $0.sample }
    }

    // MARK: Frames

    /// Encodes a frame. Returns when the encoder has accepted it; its sample may come out later.
    ///
    /// - Parameters:
    ///   - picture: A pixel buffer of any size, in one of ``PixelBuffer/formats``. A different size is scaled as
    ///     ``VideoEncoderConfiguration/scalingMode`` says.
    ///   - time: The presentation time, later than that of the previous frame.
    ///   - duration: The duration, or nil if unknown.
    ///   - options: Options for this frame only.
    ///   - context: A value that is returned with the result as ``CompressionOutput/context`` (C: `sourceFrameRefcon`).
    /// - Throws: ``SessionError``: `badParameter` if the time does not increase or a region is outside the picture;
    ///   `invalidSession` after ``invalidate()``; `outputNotRead` if ``maxUnreadSamples`` results wait and the loop
    ///   that read them has ended; otherwise the error that ended the session. A frame that fails to encode does not
    ///   throw: ``outputs`` reports it.
    public func encode(
        _ picture: PixelBuffer, at time: MediaTime, duration: MediaTime? = nil, options: FrameOptions = FrameOptions(),
        context: (any Sendable)? = nil
    ) async throws(SessionError) {
        try queue.checkReader()
        try await core.encode(
            EncodingRequest(picture: picture, time: time, duration: duration, options: options, context: context))
    }

    /// Queues a frame without waiting, for callers that cannot block, such as a camera's thread. Queued frames are
    /// encoded in order. If ``maxWaitingFrames`` frames are queued already, this frame is dropped and reported as
    /// dropped.
    ///
    /// - Throws: ``SessionError``: `invalidSession`, `outputNotRead`. Any other error that `encode` would throw is
    ///   reported as the frame's result.
    public func submit(
        _ picture: PixelBuffer, at time: MediaTime, duration: MediaTime? = nil, options: FrameOptions = FrameOptions(),
        context: (any Sendable)? = nil
    ) throws(SessionError) {
        try queue.checkReader()
        try core.submit(
            EncodingRequest(picture: picture, time: time, duration: duration, options: options, context: context))
    }

    /// The maximum number of submitted frames that wait for the encoder.
    public static let maxWaitingFrames = 8

    /// Waits until every frame up to a time has come out (C: `VTCompressionSessionCompleteFrames`). If the encoder had
    /// to be drained for this, the next frame is a key frame.
    ///
    /// - Throws: ``SessionError``: the error that ended the session.
    public func flush(until time: MediaTime) async throws(SessionError) { try await core.complete(until: time) }

    /// Waits until every frame has come out. If the encoder had to be drained for this, the next frame is a key frame.
    public func flush() async throws(SessionError) { try await core.complete(until: nil) }

    /// Opens the encoder now instead of with the first frame (C: `VTCompressionSessionPrepareToEncodeFrames`).
    ///
    /// - Throws: ``SessionError``: why no device could be opened.
    public func prepare() async throws(SessionError) { try await core.prepare() }

    public func refresh() { settings.signals.refresh() }
    public func invalidate() { core.invalidate() }

    /// Creates a pool of pixel buffers in the session's size and in a format that the encoder takes without conversion
    /// (C: `VTCompressionSessionGetPixelBufferPool`). If the encoder runs on a GPU, the buffers are on its surfaces.
    /// The pool belongs to the encoder that is open now: request a new one after ``refresh()``.
    ///
    /// - Throws: ``SessionError``: why no device could be opened.
    public func pixelBufferPool() async throws(SessionError) -> PixelBufferPool { try await core.makePool() }
}

// MARK: Properties

extension CompressionSession {
    public var isUsingHardware: Bool { settings.device?.isHardware ?? false }

    public var supportedProperties: [String: PropertyDescription] {
        [String: PropertyDescription](CompressionProperties.all, for: codec)
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

/// The result of a frame (VideoToolbox: the arguments of `VTCompressionOutputCallback`).
public struct CompressionOutput: Sendable {
    public enum Status: Sendable {
        case encoded(Sample)
        /// Analyzed in the first of two passes. The sample follows in the second pass
        /// (``CompressionSession/beginPass()``).
        case analyzed
        /// Dropped because of a data-rate limit, or because too many frames were waiting
        /// (`kVTEncodeInfo_FrameDropped`).
        case dropped
        case failed(SessionError)
    }

    public var presentationTime: MediaTime
    public var duration: MediaTime?
    /// The value that was passed in with the frame (`sourceFrameRefCon`).
    public var context: (any Sendable)?
    public var status: Status

    /// The encoded sample; nil if the frame was analyzed, dropped or failed.
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

/// Options for a single frame (VideoToolbox: `frameProperties`).
public struct FrameOptions: Sendable, Hashable {
    /// Whether this frame becomes an IDR picture (`kVTEncodeFrameOptionKey_ForceKeyFrame`). SVT-AV1 cannot force a key
    /// frame in mid-stream, so the session drains the encoder and opens another one that begins with this frame.
    public var forcesKeyFrame: Bool
    /// Regions to encode at a higher or lower quality than the rest of the picture. Where two regions overlap, the
    /// first one applies. Supported by x264, x265 and VA-API drivers with `VAConfigAttribEncROI`; with any other
    /// encoder the frame fails with `propertyNotSupported`.
    public var regions: [RegionOfInterest]
    /// The offset of the frame's quantizer outside its ``regions``, from -51 to 51: below 0 for a better frame. With a
    /// constant quality, other frames stay as they are; with a bit rate, they compensate. It counts as a region, and
    /// the same encoders support it (`kVTEncodeFrameOptionKey_BaseFrameQP`, which is absolute).
    public var qpOffset: Int

    public init(forcesKeyFrame: Bool = false, regions: [RegionOfInterest] = [], qpOffset: Int = 0) {
        self.forcesKeyFrame = forcesKeyFrame
        self.regions = regions
        self.qpOffset = qpOffset
    }

    public static let keyFrame = FrameOptions(forcesKeyFrame: true)

    /// Returns the regions in the order in which they apply, the frame itself last.
    ///
    /// - Throws: `.badParameter` if a region is outside the encoded picture or an offset is out of range.
    func regions(in picture: PixelSize) throws(SessionError) -> [RegionOfInterest] {
        let all = regions + (qpOffset == 0 ? [] : [.whole(picture, qpOffset: qpOffset)])
        for region in all {
            guard region.isInside(picture) else {
                throw SessionError(
                    .badParameter,
                    "a region of \(region.size) at \(region.x), \(region.y) is invalid; allowed: one inside \(picture)")
            }
            guard RegionOfInterest.qpOffsets.contains(region.qpOffset) else {
                throw SessionError(
                    .badParameter, "a qpOffset cannot be \(region.qpOffset); allowed: -51 to 51")
            }
        }
        return all
    }
}
