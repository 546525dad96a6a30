package import VTXFFmpeg
package import VTXMedia
package import VTXTask

/// A camera, or what stands in for one. One thread at a time calls it.
package protocol CaptureSource: AnyObject, Sendable {
    var format: CaptureFormat { get }
    /// nil without audio.
    var audio: CaptureAudioFormat? { get }
    /// What decodes its pictures, as users know it; nil where they are no stream that was coded elsewhere.
    var decoderName: String? { get }
    /// It throws by itself where no pictures come any more.
    var watchesItself: Bool { get }
    /// It has buffers: pictures that come before their time may wait for room.
    var isBuffered: Bool { get }
    /// It is at its end, and nothing is wrong.
    var hasEnded: Bool { get }

    /// Pictures come from now on.
    func start() throws(TranscodeError)

    /// The next picture.
    ///
    /// - Returns: nil where none comes in this time.
    /// - Throws: `.cameraUnplugged`, or another reason for which no more will come.
    func next(within seconds: Double) throws(TranscodeError) -> CapturedPicture?

    /// Audio that has come since the last time, on the pictures' clock.
    func takeAudio() -> [Packet]

    /// What waits ends. Any thread calls it.
    func stop()
}

extension CaptureSource {
    package var audio: CaptureAudioFormat? { nil }
    package var decoderName: String? { nil }
    package var watchesItself: Bool { false }
    package var isBuffered: Bool { false }
    package var hasEnded: Bool { false }
    package func takeAudio() -> [Packet] { [] }
    package func stop() {}
}

/// Audio that is coded already.
package struct CaptureAudioFormat: Sendable {
    package var parameters: CodecParameters
    package var timeBase: Rational
    /// It is the input's own.
    package var isCopied: Bool

    package init(parameters: CodecParameters, timeBase: Rational, isCopied: Bool = false) {
        self.parameters = parameters
        self.timeBase = timeBase
        self.isCopied = isCopied
    }
}

/// What a camera was told to give.
package struct CaptureFormat: Sendable, Hashable {
    /// As users know it: `YUYV`.
    package var name: String
    package var size: PixelSize
    package var frameRate: Rational
    package var color: ColorDescription
    /// libavcodec's name of the decoder that the pictures need; nil for frames.
    package var codecName: String?
    /// Frames are two fields each, and stay so.
    package var isInterlaced = false

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
    /// Seconds without a picture after which no more are waited for: cameras take two or three to start, and slow ones
    /// have more than a few between two pictures.
    static func timeout(_ frameRate: Rational) -> Double { max(5, 3 / frameRate.value) }
}

/// What came from a camera.
package struct CapturedPicture: Sendable {
    package enum Content: Sendable {
        case frame(Frame)
        case coded(Packet)
        /// Not all of it is there.
        case damaged
    }

    package var content: Content
    /// On the monotonic clock.
    package var time: MediaTime
    /// Pictures that the camera dropped before this one.
    package var missingCount: Int

    package init(_ content: Content, time: MediaTime, missingCount: Int = 0) {
        self.content = content
        self.time = time
        self.missingCount = missingCount
    }
}
