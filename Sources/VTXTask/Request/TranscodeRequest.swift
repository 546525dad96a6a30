package import VTXMedia
package import VTXSystem

/// What a user asked for. A nil means "not said": the plan then follows the source or the defaults.
package struct TranscodeRequest: Sendable, Hashable {
    package var input: String
    /// Files that follow it, as one with it.
    package var appended: [String] = []
    /// Of a raw stream; nil for what its headers say.
    package var inputFrameRate: Rational?
    /// nil: a name beside the input, see `OutputChoice`.
    package var output: String?
    package var overwrite: OverwritePolicy = .refuse
    /// The output takes the source's place.
    package var replacesSource = false
    /// nil: by the output's name.
    package var format: Container?
    /// nil keeps none: a transcode that is killed starts over.
    package var journal: JournalRequest?
    /// What goes through pipes is wanted again in a receipt.
    package var digestsPipes = false
    /// MP4 and MOV in pieces that can be played while more are being written.
    package var isFragmented = false
    /// The output is a directory of renditions, with playlists of HLS.
    package var writesHLS = false
    /// Likewise, with a manifest of DASH.
    package var writesDASH = false
    /// nil: by the source, where the output is such a directory.
    package var ladder: LadderRequest?
    /// Seconds; nil for 6.
    package var segmentDuration: Int?
    /// How large the output may be, as a share of the source's size; nil for any size.
    package var maxSizeRatio: Double?
    /// nil: all that replaces its source, samples of anything else.
    package var verification: VerificationLevel?

    /// The video's packets go over as they are; nothing is said of its coding.
    package var copiesVideo = false
    package var codec: VideoCodec?
    /// As users write it; `profile` is what it means.
    package var profileName: String?
    package var quality: Quality?
    /// In place of a quality: the one that reaches it is looked for.
    package var target: QualityTarget?
    /// In place of a quality and a bit rate: bytes of the whole output, at most.
    package var targetSize: Int?
    /// Set by the job, for the size.
    package var pass: EncodingPass?
    /// Bits per second on average.
    package var bitrate: Int?
    /// Bits that any one second may take.
    package var maxBitrate: Int?
    package var preset: EncoderPreset = .balanced
    package var tuning: EncoderTuning?
    package var encoderOptions: [EncoderOption]?
    package var keyFrameInterval: KeyFrameInterval?
    package var allowsBFrames = true
    package var parallelism = ParallelRequest.standard
    package var segments = SegmentsRequest.standard
    /// nil: this process does all of it.
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
    /// A subtitle stream that becomes a part of the pictures.
    package var drawnSubtitles: StreamKey?
    package var denoising: FilterStrength?
    package var sharpening: FilterStrength?
    package var dynamicRange: DynamicRangePolicy = .keep
    /// Turn the pixels themselves instead of keeping the display matrix.
    package var rotatesPixels = false

    package var hardware: HardwarePolicy = .auto
    package var device = DeviceSelector.auto
    package var hardwareEncoder = HardwareEncoderOptions()

    package var audio: AudioChoice = .copy
    /// Bits per second of a converted audio stream; nil: by codec and channel count.
    package var audioBitrate: Int?
    package var audioChannels: ChannelLimit?
    /// LUFS.
    package var loudness: Int?
    /// In place of the source's audio streams; none for these.
    package var audioTracks: [AudioTrack] = []
    package var selection = StreamSelection()
    /// Of each of these files the first stream of its kind goes into the output, after the source's own.
    package var addedAudio: [AddedFile] = []
    package var addedSubtitles: [AddedFile] = []

    /// Seconds from the source's first timestamp.
    package var start: Double?
    /// Seconds of output.
    package var duration: Double?
    package var timestamps: TimestampPolicy = .auto

    /// Anything given up becomes an error instead of a message.
    package var forbidsDowngrades = false
    /// Software in a GPU's place becomes an error instead of a message.
    package var forbidsFallbacks = false

    package init(input: String, output: String? = nil) {
        self.input = input
        self.output = output
    }
}

package enum DeinterlacePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// Frames that say they are interlaced.
    case auto
    /// Every frame, whatever it says.
    case on
    case off
    /// Every frame; each of its fields becomes a frame.
    case field
    /// 3:2 pulldown is undone.
    case telecine
}

extension TranscodeRequest {
    /// The profile that was asked for; nil for none, and for a name that several codecs have where no codec is said.
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

/// How many segments of the video are encoded at one time.
package enum ParallelRequest: Sendable, Hashable {
    /// By the machine and the work.
    case auto
    /// - Parameter software: the number of those in software, beside GPUs.
    case count(Int, software: Int = 0)

    package static let standard = ParallelRequest.count(1)
    /// Seconds of a segment, at least.
    package static let segmentSeconds = 10
}

/// What becomes of HDR.
package enum DynamicRangePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    case keep
    /// Tone mapping; what is SDR already stays as it is.
    case sdr
}

/// Where the output's timestamps start.
package enum TimestampPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// As the source's do, unless these start anywhere, as a broadcast's do.
    case auto
    /// As the source's do.
    case source
    /// At zero.
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

/// The most channels that an audio stream keeps; what has more is mixed down.
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
    /// As it is, where the container holds it; else as AAC, in WebM as Opus.
    case copy
    case encode(AudioCodec)
    case none
}

/// How much of the finished output is decoded again and compared with what was encoded.
package enum VerificationLevel: String, Sendable, Hashable, CaseIterable, Codable {
    /// Every frame.
    case full
    /// Some groups of pictures, and key frames between them.
    case sample
    /// Nothing beyond the first frame.
    case off
}
