public import VTXMedia
import VTXSession

/// The settings of a ``CompressionSession``. The defaults suit portrait video from a phone: set at least ``size``,
/// ``bitrate`` and ``fps``.
public struct VideoEncoderConfiguration: Sendable, Hashable {
    /// The size of the output, in pixels; each side from 16 to 16384. Odd sides are not possible in 4:2:0: the last
    /// column or row is cut off.
    public var size = PixelSize(1080, 1920)
    /// The average bit rate, in bits per second, from 1,000 to 1,000,000,000 (`AverageBitRate`). Ignored if ``quality``
    /// is set.
    public var bitrate = 5_000 * 1024
    /// The expected frame rate, in frames per second, from 0.01 to 1000 (`ExpectedFrameRate`). It is a hint: each frame
    /// has its own timestamp.
    public var fps: Rational = 30
    /// The maximum number of frames between key frames (`MaxKeyFrameInterval`). By default five seconds' worth.
    public var gopSize: Int {
        get { chosenGOPSize ?? KeyFrameInterval(seconds: 5).frameCount(at: fps) }
        set { chosenGOPSize = newValue }
    }
    private var chosenGOPSize: Int?
    /// Whether the encoder may reorder frames, which B frames need (`AllowFrameReordering`). Baseline and real-time
    /// encoding never reorder.
    public var openBFrame = true
    /// The part of the frames that forms the base layer: 1, or 0.5 (`BaseLayerFrameRateFraction`). With 0.5, no other
    /// frame refers to every second one, a B frame. What remains without those is a stream of half the frame rate:
    /// ``Sample/Dependency/temporalLevel`` is 0. For H.264 and HEVC with ``openBFrame``, not in real time.
    public var baseLayerFrameRateFraction = 1.0
    /// The codec; nil for HEVC if the hardware encodes it, otherwise H.264.
    public var codec: VideoCodec?
    /// The profile; nil for H.264 High, AV1 Main, or HEVC Main, which becomes Main 10 if the first frame has more than
    /// 8 bits (`ProfileLevel`).
    public var profile: VideoProfile?
    /// The level of ``profile``, for H.264 and HEVC (Main tier); nil for the lowest that size, bit rate and frame rate
    /// allow ("AutoLevel"). ``size``, ``fps`` and ``bitrate`` beyond the level are an error; peaks of the bit rate are
    /// limited to what it allows.
    public var level: VideoLevel?

    /// A constant quality from 0 to 100 instead of an average bit rate (`Quality`: VideoToolbox's 0.7 is 70 here).
    public var quality: Quality?
    /// The maximum time between key frames, in seconds, up to 3600 (`MaxKeyFrameIntervalDuration`). If ``gopSize`` is
    /// reached first, that applies.
    public var maxKeyFrameIntervalDuration: Double?
    /// Whether frames may refer to other frames. If false, every frame is a key frame (`AllowTemporalCompression`).
    public var allowsTemporalCompression = true
    /// Up to two limits on the data rate, each over a sliding window (`DataRateLimits`).
    public var dataRateLimits: [DataRateLimit] = []
    /// Whether to encode in real time: at most one frame is held back (`RealTime`). x264 and x265 then encode with the
    /// preset `fast` instead of `balanced`. If they still do not keep up, `submit` drops frames and reports them.
    public var isRealTime = false
    /// The entropy coding of H.264; nil for CABAC, or CAVLC in Baseline (`H264EntropyMode`).
    public var entropyMode: EntropyMode?
    /// How frames of another size are fitted into the output (`ScalingMode` of the pixel transfer properties).
    public var scalingMode = ScalingMode.fill
    /// The sample aspect ratio of the output (`PixelAspectRatio`).
    public var pixelAspectRatio: Rational = 1
    /// The color description (`ColorPrimaries`, `TransferFunction`, `YCbCrMatrix`). Unspecified fields are taken from
    /// the first frame.
    public var color = ColorDescription.unspecified
    /// The static metadata of HDR10 (`MasteringDisplayColorVolume`, `ContentLightLevelInfo`).
    public var hdrMetadata = HDRMetadata()
    /// The trade-off between encoding speed and quality (`PrioritizeEncodingSpeedOverQuality`).
    public var preset = EncoderPreset.balanced

    /// Whether encoding on a GPU is allowed, required or off (`EnableHardwareAcceleratedVideoEncoder`,
    /// `RequireHardwareAcceleratedVideoEncoder`).
    public var hardware = HardwarePolicy.auto
    /// The GPU to use: a render node, a PCI address or a vendor, as in `/dev/dri/renderD128`, `pci:0000:03:00.0`,
    /// `vendor:intel`; nil for the least busy GPU that supports the configuration (`RequiredEncoderGPURegistryID`).
    public var device: String?

    public init(
        size: PixelSize = PixelSize(1080, 1920), bitrate: Int = 5_000 * 1024, fps: Rational = 30, gopSize: Int? = nil,
        openBFrame: Bool = true, codec: VideoCodec? = nil, profile: VideoProfile? = nil
    ) {
        self.size = size
        self.bitrate = bitrate
        self.fps = fps
        chosenGOPSize = gopSize
        self.openBFrame = openBFrame
        self.codec = codec
        self.profile = profile
    }
}

extension VideoProfile {
    /// The most widely supported profile: HEVC Main, H.264 High.
    init(defaultFor codec: VideoCodec) {
        switch codec {
        case .h264: self = .high
        case .hevc: self = .hevcMain
        case .av1: self = .av1Main
        }
    }
}

extension VideoEncoderConfiguration {
    /// Selects Main 10 for 10-bit frames if no profile is set and the codec is HEVC, whose 10-bit profile players
    /// support.
    func keeping(bits: Int, in codec: VideoCodec) -> VideoEncoderConfiguration {
        guard profile == nil, codec == .hevc, bits > 8 else { return self }
        var configuration = self
        configuration.profile = .main10
        return configuration
    }
}

extension EncoderConfiguration {
    /// Translates a session's configuration into that of an encoder.
    init(_ wanted: VideoEncoderConfiguration, codec: VideoCodec, color: ColorDescription, timeBase: Rational) {
        let profile = wanted.profile ?? VideoProfile(defaultFor: codec)
        self.init(
            codec: codec, profile: profile, size: wanted.codedSize,
            pixelFormat: .planar(profile.maxChroma, bitDepth: profile.maxBitDepth), timeBase: timeBase,
            frameRate: wanted.fps, sampleAspectRatio: wanted.pixelAspectRatio, color: color,
            hdrMetadata: wanted.hdrMetadata,
            rateControl: wanted.quality.map { .quality($0) } ?? .bitrate(average: wanted.bitrate, max: nil),
            preset: wanted.preset, maxKeyFrameInterval: wanted.allowsTemporalCompression ? wanted.gopSize : 1,
            allowsFrameReordering: wanted.openBFrame && profile.allowsBFrames)
        level = wanted.level
        hasTemporalLayers = wanted.baseLayerFrameRateFraction < 1
        isRealTime = wanted.isRealTime
        entropyMode = codec == .h264 ? wanted.entropyMode : nil
        dataRateLimits = wanted.dataRateLimits
        // A session that has been invalidated is gone soon.
        openTimeout = 3
    }
}
