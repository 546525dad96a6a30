/// The settings of an encoder, the same for every backend (VideoToolbox: the compression properties).
package struct EncoderConfiguration: Sendable, Hashable, Codable {
    package var codec: VideoCodec
    package var profile: VideoProfile
    /// nil for the lowest that size, frame rate and bit rate allow. The peak rate never exceeds what the level allows.
    package var level: VideoLevel?
    package var size: PixelSize
    package var pixelFormat: PixelFormat
    /// The unit of the timestamps, in seconds.
    package var timeBase: Rational
    /// The expected frame rate, in frames per second; a hint (`ExpectedFrameRate`).
    package var frameRate: Rational
    package var sampleAspectRatio: Rational
    package var color: ColorDescription
    package var hdrMetadata: HDRMetadata
    package var rateControl: RateControl
    package var preset: EncoderPreset
    /// A preset under the encoder's own name, in place of `preset`: x264's `slow`. In software only.
    package var presetName: String?
    /// nil for content of any kind.
    package var tuning: EncoderTuning?
    /// Options under the encoder's own names.
    package var options: [EncoderOption] = []
    /// nil for single-pass encoding.
    package var pass: EncodingPass?
    /// The maximum number of frames between key frames. Every key frame is an IDR picture and begins a closed GOP
    /// (`MaxKeyFrameInterval`).
    package var maxKeyFrameInterval: Int
    /// Whether key frames occur only where forced or due, and not at scene changes, so that several encoders have
    /// theirs at the same frames.
    package var hasFixedKeyFrames = false
    /// Whether B frames are allowed (`AllowFrameReordering`).
    package var allowsFrameReordering: Bool
    /// The maximum number of frames by which decoding order precedes display order; nil leaves it to the encoder. 1
    /// allows only B frames that are not used for reference.
    package var maxReorderDepth: Int?
    /// Whether every second frame is a B frame that no other frame refers to, so that the rest is a stream of half the
    /// frame rate (`BaseLayerFrameRateFraction`).
    package var hasTemporalLayers = false
    /// Whether parameter sets go into the container's header instead of before every key frame.
    package var usesGlobalHeader: Bool
    /// Whether the parameter sets are the same for every quality, so that segments of several qualities can share them.
    /// Not on GPUs.
    package var hasUniformParameterSets = false
    /// Whether to encode in real time: at most one frame is held back, without reordering or lookahead (`RealTime`).
    package var isRealTime = false
    /// Whether frames follow each other at `frameRate`, as in a byte stream, which has no timestamps.
    package var isConstantFrameRate = false
    /// Whether frames are coded and marked as two fields each. H.264 in software only, above Baseline.
    package var isInterlaced = false
    /// The entropy coding of H.264; nil leaves it to the profile (`H264EntropyMode`).
    package var entropyMode: EntropyMode?
    /// The limits on the data rate, all of which apply (`DataRateLimits`).
    package var dataRateLimits: [DataRateLimit] = []
    /// The fullness of the decoder's buffer before the first frame, from 0 to 1, for an encoder that continues
    /// another's stream; nil leaves it to the encoder.
    package var initialBufferFullness: Double?
    /// The number of threads of a software encoder; nil leaves it to the encoder.
    package var threads: Int?
    package var hardware = HardwareEncoderOptions()
    /// The time to wait for an encoder that a process can open only once at a time, in seconds; nil for no limit.
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

/// One of two passes over the same frames: the first measures what each frame needs, the second distributes the bits
/// accordingly. Supported by x264 and x265.
package struct EncodingPass: Sendable, Hashable, Codable {
    package enum Number: Int, Sendable, Hashable, Codable {
        case first = 1
        case second
    }

    package var number: Number
    /// The path of the statistics file.
    package var statistics: String

    package init(_ number: Number, statistics: String) { (self.number, self.statistics) = (number, statistics) }

    package var next: EncodingPass { EncodingPass(.second, statistics: statistics) }
}

/// The kind of content an encoder is tuned for.
package enum EncoderTuning: String, Sendable, Hashable, CaseIterable, Codable {
    case film
    /// Animation: flat areas and sharp edges.
    case animation
    /// Keeps film grain.
    case grain
    case stillImage = "still-image"
}

/// The entropy coding of H.264 (clause 9; VideoToolbox: `kVTH264EntropyMode_*`).
public enum EntropyMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// Variable-length coding, the only mode of Baseline.
    case cavlc
    /// Arithmetic coding: about 10% smaller.
    case cabac
}

/// A way to encode on a device, in the driver's terms: `EncSliceLP`, `VBR`.
package struct EncodingMode: Sendable, Hashable, CustomStringConvertible {
    package var entrypoint: String
    package var rateControl: String

    package init(entrypoint: String, rateControl: String) {
        self.entrypoint = entrypoint
        self.rateControl = rateControl
    }

    package var description: String { "\(entrypoint) \(rateControl)" }

    /// Parses the text that `description` returns.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2 else { return nil }
        self.init(entrypoint: String(words[0]), rateControl: String(words[1]))
    }
}

extension EncoderConfiguration {
    /// The preset as it is requested: a speed, or an encoder's own name.
    package var presetText: String { presetName ?? preset.rawValue }

    /// - Parameter quality: nil for this configuration's own rate.
    package func at(_ quality: Quality?) -> EncoderConfiguration {
        var configuration = self
        if let quality { configuration.rateControl = .quality(quality, max: rateControl.max) }
        return configuration
    }

    /// Whether B frames are possible.
    package var reordersFrames: Bool { allowsFrameReordering && !isRealTime && maxReorderDepth != 0 }

    /// Whether there are two layers. An encoder that takes over from one whose frames were in order has only the base
    /// layer.
    package var writesTemporalLayers: Bool { hasTemporalLayers && reordersFrames }
}

/// Which of a GPU's two encoders to use: the programmable one (`VAEntrypointEncSlice`) or the fixed-function, low-power
/// one (`VAEntrypointEncSliceLP`).
package enum LowPowerPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// The programmable encoder if there is one.
    case auto
    case on
    case off
}

/// Options of a GPU's encoder beyond the format of the stream; nil leaves the choice to vtx.
package struct HardwareEncoderOptions: Sendable, Hashable, Codable {
    package var lowPower = LowPowerPolicy.auto
    /// The number of frames the GPU works on in parallel (libavcodec's `async_depth`).
    package var asyncDepth: Int?
    /// The number of levels of B frames that refer to each other (libavcodec's `b_depth`). It also enables B frames on
    /// a driver that is known to handle them incorrectly.
    package var bFrameDepth: Int?

    package init() {}
}

/// The maximum distance between key frames, in frames or seconds; whichever is reached first applies.
public struct KeyFrameInterval: Sendable, Hashable {
    public var frames: Int?
    public var seconds: Double?

    public init(frames: Int? = nil, seconds: Double? = nil) {
        self.frames = frames
        self.seconds = seconds
    }

    /// Returns the interval in frames at a constant frame rate. By default five seconds' worth.
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

    /// The text that `init(_:)` parses: `120`, `5s`, `120,5s`; empty if neither is set.
    package var text: String {
        [frames.map { "\($0)" }, seconds.map { $0 == $0.rounded() ? "\(Int($0))s" : "\($0)s" }].compactMap(\.self)
            .joined(separator: ",")
    }

    /// Parses `120` (frames), `5s` (seconds) or both, `120,5s`; nil for anything else. The maximum is one hour.
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
