/// What an encoder is opened with, the same for every backend (VideoToolbox: the compression properties).
package struct EncoderConfiguration: Sendable, Hashable, Codable {
    package var codec: VideoCodec
    package var profile: VideoProfile
    package var size: PixelSize
    package var pixelFormat: PixelFormat
    /// The unit in which frames count their time.
    package var timeBase: Rational
    /// A hint, not a promise (`ExpectedFrameRate`).
    package var frameRate: Rational
    package var sampleAspectRatio: Rational
    package var color: ColorDescription
    package var hdrMetadata: HDRMetadata
    package var rateControl: RateControl
    package var preset: EncoderPreset
    /// nil for pictures of any kind.
    package var tuning: EncoderTuning?
    /// Under the encoder's own names.
    package var options: [EncoderOption] = []
    /// nil for one pass.
    package var pass: EncodingPass?
    /// Frames; every key frame is an IDR picture and begins a closed group (`MaxKeyFrameInterval`).
    package var maxKeyFrameInterval: Int
    /// Key frames are those that are forced or due, without those that an encoder would choose where scenes change: several
    /// encoders then have theirs at the same frames.
    package var hasFixedKeyFrames = false
    /// B frames (`AllowFrameReordering`).
    package var allowsFrameReordering: Bool
    /// Frames by which decoding is ahead of showing, at most; nil for as many as the encoder likes. 1 leaves B frames that
    /// nothing refers to.
    package var maxReorderDepth: Int?
    /// Parameter sets go into the container's header, else before every key frame.
    package var usesGlobalHeader: Bool
    /// At most one frame is held back: neither reordering nor looking ahead (`RealTime`).
    package var isRealTime = false
    /// Frames are two fields each, and are coded and marked so. H.264 in software only, above the Baseline profile.
    package var isInterlaced = false
    /// nil leaves it to the profile (`H264EntropyMode`).
    package var entropyMode: EntropyMode?
    /// All of them are kept (`DataRateLimits`).
    package var dataRateLimits: [DataRateLimit] = []
    /// What a decoder's buffer has before the first frame, as a part of it, where another encoder's frames go before; nil
    /// leaves it to the encoder.
    package var initialBufferFullness: Double?
    /// Cores that a software encoder works on; nil leaves the number to the encoder.
    package var threads: Int?
    package var hardware = HardwareEncoderOptions()
    /// Seconds to wait for an encoder of which a process can have one at a time; nil for ever.
    package var openTimeout: Double?

    package init(
        codec: VideoCodec, profile: VideoProfile, size: PixelSize, pixelFormat: PixelFormat, timeBase: Rational,
        frameRate: Rational, sampleAspectRatio: Rational = Rational(0, 1), color: ColorDescription = .unspecified,
        hdrMetadata: HDRMetadata = HDRMetadata(), rateControl: RateControl, preset: EncoderPreset = .balanced,
        maxKeyFrameInterval: Int, allowsFrameReordering: Bool = true, usesGlobalHeader: Bool = true
    ) {
        self.codec = codec
        self.profile = profile
        self.size = size
        self.pixelFormat = pixelFormat
        self.timeBase = timeBase
        self.frameRate = frameRate
        self.sampleAspectRatio = sampleAspectRatio
        self.color = color
        self.hdrMetadata = hdrMetadata
        self.rateControl = rateControl
        self.preset = preset
        self.maxKeyFrameInterval = maxKeyFrameInterval
        self.allowsFrameReordering = allowsFrameReordering
        self.usesGlobalHeader = usesGlobalHeader
    }
}

/// One of two passes over the same frames: the first writes down what each frame takes, and the second shares the bits out
/// by it. x264 and x265 have them.
package struct EncodingPass: Sendable, Hashable, Codable {
    package enum Number: Int, Sendable, Hashable, Codable {
        case first = 1
        case second
    }

    package var number: Number
    /// The file between them.
    package var statistics: String

    package init(_ number: Number, statistics: String) { (self.number, self.statistics) = (number, statistics) }

    package var next: EncodingPass { EncodingPass(.second, statistics: statistics) }
}

/// How much time an encoder may spend on a frame.
public enum EncoderPreset: String, Sendable, Hashable, CaseIterable, Codable {
    case fast
    case balanced
    case quality
}

/// What the pictures are like, for an encoder that can be tuned to it.
package enum EncoderTuning: String, Sendable, Hashable, CaseIterable, Codable {
    case film
    /// Drawn: flat areas and sharp edges.
    case animation
    /// Grain is kept.
    case grain
    case stillImage = "still-image"
}

/// How H.264 codes its syntax elements (clause 9; VideoToolbox: `kVTH264EntropyMode_*`).
public enum EntropyMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// Variable lengths: the only one that Baseline has.
    case cavlc
    /// Arithmetic coding, about a tenth smaller.
    case cabac
}

/// One of the ways in which a device can be made to encode, by its driver's names: `EncSliceLP`, `VBR`.
package struct EncodingMode: Sendable, Hashable, CustomStringConvertible {
    package var entrypoint: String
    package var rateControl: String

    package init(entrypoint: String, rateControl: String) {
        self.entrypoint = entrypoint
        self.rateControl = rateControl
    }

    package var description: String { "\(entrypoint) \(rateControl)" }

    /// Reads what `description` writes.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2 else { return nil }
        self.init(entrypoint: String(words[0]), rateControl: String(words[1]))
    }
}

extension EncoderConfiguration {
    /// Whether there may be B frames.
    package var reordersFrames: Bool { allowsFrameReordering && !isRealTime && maxReorderDepth != 0 }
}

/// Which of a GPU's two encoders: the programmable one (`VAEntrypointEncSlice`) or the fixed, low-power one
/// (`VAEntrypointEncSliceLP`).
package enum LowPowerPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// The programmable one where there is one.
    case auto
    case on
    case off
}

/// What is asked of a GPU's encoder beside what the stream has to be; nil leaves it to vtx.
package struct HardwareEncoderOptions: Sendable, Hashable, Codable {
    package var lowPower = LowPowerPolicy.auto
    /// Frames that the GPU works on at one time (libavcodec's `async_depth`).
    package var asyncDepth: Int?
    /// Levels of B frames that refer to each other (libavcodec's `b_depth`). It also allows B frames where a driver is
    /// known to get them wrong.
    package var bFrameDepth: Int?

    package init() {}
}

/// The longest way from one key frame to the next: a number of frames or of seconds, whichever comes first.
public struct KeyFrameInterval: Sendable, Hashable {
    public var frames: Int?
    public var seconds: Double?

    public init(frames: Int? = nil, seconds: Double? = nil) {
        self.frames = frames
        self.seconds = seconds
    }

    /// The interval in frames at a steady rate; where neither is said, that of five seconds.
    public func frameCount(at frameRate: Rational) -> Int {
        let seconds = frames == nil ? seconds ?? 5 : seconds
        let bySeconds = seconds.map { Self.frameCount($0 * frameRate.value) }
        return [frames, bySeconds].compactMap(\.self).min() ?? 1
    }

    private static func frameCount(_ count: Double) -> Int {
        count.isNaN ? 1 : Int(min(max(count, 1), 1_000_000).rounded())
    }
}

extension KeyFrameInterval: CustomStringConvertible {
    public var description: String {
        let parts = [frames.map { "\($0) frames" }, seconds.map { "\($0) s" }].compactMap(\.self)
        return parts.isEmpty ? "5 s" : parts.joined(separator: " or ")
    }

    /// What `init(_:)` reads: `120`, `5s`, `120,5s`; empty where nothing is said.
    package var text: String {
        [frames.map { "\($0)" }, seconds.map { $0 == $0.rounded() ? "\(Int($0))s" : "\($0)s" }].compactMap(\.self)
            .joined(separator: ",")
    }

    /// Reads `120` (frames), `5s` (seconds) or both, `120,5s`; nil for anything else. An hour is the most.
    public init?(_ text: some StringProtocol) {
        self.init()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if part.hasSuffix("s"), let seconds = Double(part.dropLast()), (0.001...3600).contains(seconds),
                self.seconds == nil
            {
                self.seconds = seconds
            } else if let frames = Int(part), frames > 0, frames <= 100_000, self.frames == nil {
                self.frames = frames
            } else {
                return nil
            }
        }
    }
}
