package import VTXMedia
package import VTXSystem

/// A user's request. nil means unspecified: the plan follows the source or the defaults.
package struct TranscodeRequest: Sendable, Hashable {
    package var input: String
    /// Files that are joined to the input.
    package var appended: [String] = []
    /// The frame rate of a raw stream; nil for that in its headers.
    package var inputFrameRate: Rational?
    /// nil for a name next to the input, see `OutputChoice`.
    package var output: String?
    package var overwrite: OverwritePolicy = .refuse
    /// Whether the output replaces the source.
    package var replacesSource = false
    /// The sources that are skipped; nil for `auto` if they are replaced, otherwise for none.
    package var skippedCodecs: SkippedCodecs?
    /// nil for the container implied by the output's name.
    package var format: Container?
    /// nil for none: a transcode that is killed starts over.
    package var journal: JournalRequest?
    /// Whether to compute digests of pipes for a receipt.
    package var digestsPipes = false
    /// Whether MP4 and MOV files are fragmented, so that they can be played while being written.
    package var isFragmented = false
    /// Whether the output is a directory of renditions with HLS playlists.
    package var writesHLS = false
    /// Whether the output is a directory of renditions with a DASH manifest.
    package var writesDASH = false
    /// nil for a ladder chosen by the source, if the output is such a directory.
    package var ladder: LadderRequest?
    /// Seconds; nil for 6.
    package var segmentDuration: Int?
    /// The maximum size of the output, relative to the source's; nil for no limit.
    package var maxSizeRatio: Double?
    /// nil for full verification if the source is replaced, else samples.
    package var verification: VerificationLevel?

    /// Whether the video's packets are copied, without options for encoding.
    package var copiesVideo = false
    package var codec: VideoCodec?
    /// The name as written by the user; `profile` is its meaning.
    package var profileName: String?
    package var quality: Quality?
    /// The target that replaces a quality: the quality that reaches it is searched for.
    package var target: QualityTarget?
    /// Set by the job if the target is reached by a quality for each segment; `quality` is then the highest.
    package var segmentQualities: [SegmentQuality] = []
    /// The target that replaces a quality and a bit rate: the maximum size of the whole output, in bytes.
    package var targetSize: Int?
    /// Set by the job to reach the size, or the bit rate in two passes.
    package var pass: EncodingPass?
    /// The average in bits per second.
    package var bitrate: Int?
    /// Set by the job if it has corrected `bitrate`: the one that was asked for.
    package var wantedBitrate: Int?
    /// Whether the video is encoded twice for the bit rate.
    package var usesTwoPasses = false
    /// The maximum number of bits in any one second.
    package var maxBitrate: Int?
    package var preset: EncoderPreset = .balanced
    /// A preset under the software encoder's own name, in place of `preset`.
    package var encoderPreset: String?
    /// 8 or 10; nil for the source's, or that of the profile.
    package var bitDepth: Int?
    package var tuning: EncoderTuning?
    package var encoderOptions: [EncoderOption]?
    package var keyFrameInterval: KeyFrameInterval?
    package var allowsBFrames = true
    package var parallelism = ParallelRequest.standard
    package var segments = SegmentsRequest.standard
    /// nil if this process does all the work.
    package var segmentedWork: SegmentedWork?

    package var crop: CropRequest?
    /// Degrees clockwise.
    package var rotation = RotationRequest.none
    package var flip: FlipRequest?
    package var size: SizeRequest?
    package var scaling: ScalingMode = .letterbox
    package var frameRate: Rational?
    package var deinterlace: DeinterlacePolicy = .auto
    /// libavfilter's notation.
    package var filters: String?
    /// Subtitles that are burned in.
    package var drawnSubtitles: DrawnSubtitles?
    package var denoising: FilterStrength?
    package var sharpening: FilterStrength?
    package var dynamicRange: DynamicRangePolicy = .keep
    /// Whether to rotate the pixels instead of keeping the display matrix.
    package var rotatesPixels = false

    package var hardware: HardwarePolicy = .auto
    package var device = DeviceSelector.auto
    package var hardwareEncoder = HardwareEncoderOptions()

    package var audio: AudioChoice = .copy
    /// Bits per second of a converted audio stream; nil for a default by codec and channel count.
    package var audioBitrate: Int?
    package var audioChannels: ChannelLimit?
    /// LUFS.
    package var loudness: Int?
    /// Tracks that replace the source's audio streams; empty to keep those.
    package var audioTracks: [AudioTrack] = []
    package var selection = StreamSelection()
    /// Files whose first stream of the kind is added to the output, after the source's streams.
    package var addedAudio: [AddedFile] = []
    package var addedSubtitles: [AddedFile] = []

    /// Seconds from the source's first timestamp.
    package var start: Double?
    /// Seconds of output.
    package var duration: Double?
    package var timestamps: TimestampPolicy = .auto

    /// Whether a downgrade is an error instead of a notice.
    package var forbidsDowngrades = false
    /// Whether a fallback to software is an error instead of a notice.
    package var forbidsFallbacks = false

    package init(input: String, output: String? = nil) {
        self.input = input
        self.output = output
    }
}

package enum DeinterlacePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// Frames marked as interlaced.
    case auto
    /// All frames, even if marked as progressive.
    case on
    case off
    /// All frames; each field becomes a frame.
    case field
    /// Removes 3:2 pulldown.
    case telecine
}

extension TranscodeRequest {
    /// The requested profile; nil for none, and for a name that several codecs share if no codec is requested.
    package var profile: VideoProfile? {
        get {
            let found = VideoProfile.allCases.filter { $0.name == profileName || $0.qualifiedName == profileName }
            return found.first { $0.codec == codec } ?? (found.count == 1 ? found[0] : nil)
        }
        set { profileName = newValue?.qualifiedName }
    }

    package var rateControl: RateControl? {
        get {
            if let bitrate { return .bitrate(average: bitrate, max: maxBitrate) }
            return quality == nil && maxBitrate == nil ? nil : .quality(quality ?? .standard, max: maxBitrate)
        }
        set {
            (quality, bitrate, maxBitrate) = (nil, nil, nil)
            switch newValue {
            case .quality(let wanted, let max): (quality, maxBitrate) = (wanted, max)
            case .bitrate(let average, let max): (bitrate, maxBitrate) = (average, max)
            case nil: break
            }
        }
    }
}

/// The number of segments of the video that are encoded in parallel.
package enum ParallelRequest: Sendable, Hashable {
    /// Chosen by the machine and the work.
    case auto
    /// - Parameter software: The number of segments encoded in software, in addition to those on GPUs.
    case count(Int, software: Int = 0)

    package static let standard = ParallelRequest.count(1)
    /// The minimum duration of a segment, in seconds.
    package static let segmentSeconds = 10
}

/// What happens to HDR.
package enum DynamicRangePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    case keep
    /// Tone mapping; SDR stays unchanged.
    case sdr
}

/// Where the output's timestamps start.
package enum TimestampPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// Like the source's, unless those start anywhere in its kind of container.
    case auto
    /// Like the source's.
    case source
    case zero
}

package enum AudioCodec: String, Sendable, Hashable, CaseIterable, Codable {
    case aac
    case ac3
    case eac3
    case flac
    case mp3
    case opus
}

/// The maximum number of channels of an audio stream; more channels are downmixed.
package enum ChannelLimit: String, Sendable, Hashable, CaseIterable, Codable {
    case mono
    case stereo
    case surround = "5.1"

    package var count: Int {
        switch self {
        case .mono: 1
        case .stereo: 2
        case .surround: 6
        }
    }
}

package enum AudioChoice: Sendable, Hashable {
    /// Copied if the container supports it, else converted to AAC, in WebM to Opus, in Matroska to FLAC if it is lossless.
    case copy
    case encode(AudioCodec)
    case none
}

/// How much of the finished output is decoded and compared with what was encoded.
package enum VerificationLevel: String, Sendable, Hashable, CaseIterable, Codable {
    /// Every frame.
    case full
    /// Some GOPs, and key frames between them.
    case sample
    /// Only the first frame.
    case off
}
