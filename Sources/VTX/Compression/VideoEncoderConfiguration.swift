public import VTXMedia
import VTXSession

/// What a ``CompressionSession`` is to make of frames. The defaults are those of the configuration that iOS code has
/// been using for years.
public struct VideoEncoderConfiguration: Sendable, Hashable {
    /// The output's size in pixels; both sides are even.
    public var size = PixelSize(1080, 1920)
    /// The average, in bits per second (`AverageBitRate`). ``quality`` takes its place where it is set.
    public var bitrate = 5_000 * 1024
    /// Frames a second: a hint, not a promise (`ExpectedFrameRate`). Each frame has its own time.
    public var fps: Rational = 30
    /// The most frames from one key frame to the next (`MaxKeyFrameInterval`): five seconds' worth unless it is set.
    public var gopSize: Int {
        get { chosenGOPSize ?? KeyFrameInterval(seconds: 5).frameCount(at: fps) }
        set { chosenGOPSize = newValue }
    }
    private var chosenGOPSize: Int?
    /// Frames may be reordered, as B frames need it (`AllowFrameReordering`). Baseline and real time never do.
    public var openBFrame = true
    /// nil for HEVC where hardware encodes it, else H.264: the hardware is asked.
    public var codec: VideoCodec?
    /// nil for HEVC Main or H.264 High. The level follows from size, rate and speed (`ProfileLevel`, "AutoLevel").
    public var profile: VideoProfile?

    /// A constant quality instead of an average bit rate (`Quality`).
    public var quality: Quality?
    /// The most seconds from one key frame to the next; with ``gopSize``, whichever comes first
    /// (`MaxKeyFrameIntervalDuration`).
    public var maxKeyFrameIntervalDuration: Double?
    /// False makes every frame a key frame (`AllowTemporalCompression`).
    public var allowsTemporalCompression = true
    /// Up to two; each is kept, wherever its window begins (`DataRateLimits`).
    public var dataRateLimits: [DataRateLimit] = []
    /// At most one frame is held back (`RealTime`).
    public var isRealTime = false
    /// nil for CABAC wherever the profile is not Baseline (`H264EntropyMode`).
    public var entropyMode: EntropyMode?
    /// For frames that have not the output's size (`ScalingMode` of the pixel transfer properties).
    public var scalingMode = ScalingMode.fill
    /// The shape of the output's samples (`PixelAspectRatio`).
    public var pixelAspectRatio: Rational = 1
    /// What is unspecified is taken from the first frame (`ColorPrimaries`, `TransferFunction`, `YCbCrMatrix`).
    public var color = ColorDescription.unspecified
    /// Of HDR10 (`MasteringDisplayColorVolume`, `ContentLightLevelInfo`).
    public var hdrMetadata = HDRMetadata()
    /// How much time a frame may take (`PrioritizeEncodingSpeedOverQuality`).
    public var preset = EncoderPreset.balanced

    /// Whether a GPU may, must or must not encode (`EnableHardwareAcceleratedVideoEncoder`,
    /// `RequireHardwareAcceleratedVideoEncoder`).
    public var hardware = HardwarePolicy.auto
    /// Which GPU, by its render node, its PCI address or its maker: `/dev/dri/renderD128`, `pci:0000:03:00.0`,
    /// `vendor:intel`; nil for the least busy one that can do it (`RequiredEncoderGPURegistryID`).
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
