package import VTXFFmpeg
package import VTXMedia
package import VTXTask

/// A camera or a substitute for one. One thread at a time calls it.
package protocol CaptureSource: AnyObject, Sendable {
    var format: CaptureFormat { get }
    /// nil without audio.
    var audio: CaptureAudioFormat? { get }
    /// The decoder as shown to users; nil if the source is not a stream encoded elsewhere.
    var decoderName: String? { get }
    /// Whether it throws by itself when it stalls.
    var watchesItself: Bool { get }
    /// Whether it buffers frames, so that frames ahead of time may wait for room.
    var isBuffered: Bool { get }
    /// Whether its data waits until it is read, so that a slow encoder need not drop frames.
    var waitsForEncoder: Bool { get }
    /// Whether it still returns, after a stop, what it received before, until it has ended.
    var drains: Bool { get }
    /// Whether it has ended without an error.
    var hasEnded: Bool { get }

    /// Starts delivering frames.
    func start() throws(TranscodeError)

    /// Returns the next frame.
    ///
    /// - Returns: the frame; nil if none arrives in this time.
    /// - Throws: `.cameraUnplugged`, or another reason for which no more will come.
    func next(within seconds: Double) throws(TranscodeError) -> CapturedPicture?

    /// Returns the audio received since the last call, on the frames' clock.
    func takeAudio() -> [Packet]

    /// Receives the audio up to this time, which has nearly passed, and ends it. `takeAudio()` then returns the rest.
    ///
    /// - Parameter end: On the monotonic clock.
    func finishAudio(at end: MediaTime)

    /// Limits how long it waits for data that is not there yet, in seconds from now.
    func limitWaiting(to seconds: Double)

    /// Interrupts waiting calls. Any thread may call it.
    func stop()
}

extension CaptureSource {
    package var audio: CaptureAudioFormat? { nil }
    package var decoderName: String? { nil }
    package var watchesItself: Bool { false }
    package var isBuffered: Bool { false }
    package var waitsForEncoder: Bool { false }
    package var drains: Bool { false }
    package var hasEnded: Bool { false }
    package func takeAudio() -> [Packet] { [] }
    package func finishAudio(at end: MediaTime) {}
    package func limitWaiting(to seconds: Double) {}
    package func stop() {}
}

/// Audio that is already encoded.
package struct CaptureAudioFormat: Sendable {
    package var parameters: CodecParameters
    package var timeBase: Rational
    /// Whether it is copied from the input.
    package var isCopied: Bool

    package init(parameters: CodecParameters, timeBase: Rational, isCopied: Bool = false) {
        self.parameters = parameters
        self.timeBase = timeBase
        self.isCopied = isCopied
    }
}

/// The format that a camera has been configured for.
package struct CaptureFormat: Sendable, Hashable {
    /// The name as shown to users: `YUYV`.
    package var name: String
    package var size: PixelSize
    package var frameRate: Rational
    package var color: ColorDescription
    /// libavcodec's name of the required decoder; nil for uncompressed frames.
    package var codecName: String?
    /// Whether frames consist of two fields and are not deinterlaced.
    package var isInterlaced = false
    /// The number of bits per sample.
    package var bitDepth = 8
    package var hdrMetadata = HDRMetadata()
    /// How players rotate the frames; nil if they do not.
    package var displayMatrix: DisplayMatrix?
    /// Metadata of each scene, which no encoder here writes.
    package var dynamicMetadata: Set<DynamicMetadata> = []

    package enum DynamicMetadata: String, Sendable, Hashable, CaseIterable {
        case hdr10Plus = "HDR10+"
        case dolbyVision = "Dolby Vision"
    }

    package init(
        name: String, size: PixelSize, frameRate: Rational, color: ColorDescription, codecName: String? = nil
    ) {
        self.name = name
        self.size = size
        self.frameRate = frameRate
        self.color = color
        self.codecName = codecName
    }
}

extension CaptureFormat {
    /// The timeout for a frame, in seconds. Cameras take two or three seconds to start, and slow ones have long
    /// intervals between frames.
    static func timeout(_ frameRate: Rational) -> Double { max(5, 3 / frameRate.value) }
}

/// A frame from a camera.
package struct CapturedPicture: Sendable {
    package enum Content: Sendable {
        case frame(Frame)
        case coded(Packet)
        /// Incomplete data.
        case damaged
    }

    package var content: Content
    /// On the monotonic clock.
    package var time: MediaTime
    /// The number of frames that the camera dropped before this one.
    package var missingCount: Int

    package init(_ content: Content, time: MediaTime, missingCount: Int = 0) {
        self.content = content
        self.time = time
        self.missingCount = missingCount
    }
}
