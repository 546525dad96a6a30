public import VTXMedia
import VTXSession

/// The properties of a compression session. Each is a field of ``VideoEncoderConfiguration`` under Apple's name.
extension SessionProperty where Session == CompressionSession {
    init(
        _ name: String, _ field: any WritableKeyPath<VideoEncoderConfiguration, Value> & Sendable,
        in range: ClosedRange<Double>? = nil,
        for codecs: [VideoCodec] = VideoCodec.allCases
    ) {
        self.init(
            name, read: { $0.settings.configuration[keyPath: field] },
            write: { session, value throws(SessionError) in try session.change { $0[keyPath: field] = value } })
        edit = { $0[keyPath: field] = $1 }
        self.codecs = Set(codecs)
        self.range = range
        defaultValue = "\(VideoEncoderConfiguration()[keyPath: field])"
    }
}

extension CompressionSession {
    /// Changes the configuration, or leaves it as it is if the new one is invalid.
    fileprivate func change(_ edit: (inout VideoEncoderConfiguration) -> Void) throws(SessionError) {
        try settings.signals.check()
        try settings.change { configuration throws(SessionError) in
            edit(&configuration)
            try configuration.check()
            try core.encoders.check(configuration)
        }
    }

    public func set(_ values: [String: any Sendable]) throws(SessionError) {
        var edits: [PropertyEntry<CompressionSession>.Edit] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            if let edit = try writable(name, among: CompressionProperties.all).edit(value) { edits.append(edit) }
        }
        try change { configuration in for edit in edits { edit(&configuration) } }
    }
}

extension SessionProperty where Session == CompressionSession, Value == Int {
    /// The average bit rate, in bits per second (``VideoEncoderConfiguration/bitrate``). A change takes effect with the
    /// next key frame; in x264 with data-rate limits or a level immediately, up to the rate with which it began.
    public static var averageBitRate: Self {
        Self("AverageBitRate", \.bitrate, in: VideoEncoderConfiguration.bitrates.asNumbers)
    }
    /// The maximum number of frames between key frames (``VideoEncoderConfiguration/gopSize``).
    public static var maxKeyFrameInterval: Self {
        Self("MaxKeyFrameInterval", \.gopSize, in: VideoEncoderConfiguration.gopSizes.asNumbers)
    }
    /// The number of frames that were passed in and have not come out yet. Read-only.
    public static var numberOfPendingFrames: Self {
        Self("NumberOfPendingFrames", read: { $0.settings.pendingCount })
    }
}

extension SessionProperty where Session == CompressionSession, Value == Bool {
    /// Whether the session encodes in real time (``VideoEncoderConfiguration/isRealTime``).
    public static var realTime: Self { Self("RealTime", \.isRealTime) }
    /// Whether the encoder may use B frames (``VideoEncoderConfiguration/openBFrame``).
    public static var allowFrameReordering: Self { Self("AllowFrameReordering", \.openBFrame) }
    /// Whether frames may refer to other frames (``VideoEncoderConfiguration/allowsTemporalCompression``).
    public static var allowTemporalCompression: Self {
        Self("AllowTemporalCompression", \.allowsTemporalCompression)
    }
    /// Whether a GPU encodes (``VideoSession/isUsingHardware``). Read-only.
    public static var usingHardwareAcceleratedVideoEncoder: Self {
        Self("UsingHardwareAcceleratedVideoEncoder", read: { $0.isUsingHardware })
    }
}

extension SessionProperty where Session == CompressionSession, Value == Rational {
    /// The expected frame rate, in frames per second (``VideoEncoderConfiguration/fps``).
    public static var expectedFrameRate: Self {
        Self("ExpectedFrameRate", \.fps, in: Rational.frameRates)
    }
    /// The sample aspect ratio of the output (``VideoEncoderConfiguration/pixelAspectRatio``). Not supported for AV1.
    public static var pixelAspectRatio: Self {
        Self("PixelAspectRatio", \.pixelAspectRatio, for: [.h264, .hevc])
    }
}

extension SessionProperty where Session == CompressionSession, Value == Double {
    /// The part of the frames that forms the base layer, 0.5 or 1
    /// (``VideoEncoderConfiguration/baseLayerFrameRateFraction``). Not supported for AV1.
    public static var baseLayerFrameRateFraction: Self {
        Self("BaseLayerFrameRateFraction", \.baseLayerFrameRateFraction, in: 0.5...1, for: [.h264, .hevc])
    }
}

extension SessionProperty where Session == CompressionSession, Value == Double? {
    /// The maximum time between key frames, in seconds (``VideoEncoderConfiguration/maxKeyFrameIntervalDuration``).
    public static var maxKeyFrameIntervalDuration: Self {
        Self("MaxKeyFrameIntervalDuration", \.maxKeyFrameIntervalDuration, in: 0...3600)
    }
}

extension SessionProperty where Session == CompressionSession, Value == [DataRateLimit] {
    /// The limits on the data rate (``VideoEncoderConfiguration/dataRateLimits``).
    public static var dataRateLimits: Self { Self("DataRateLimits", \.dataRateLimits) }
}

extension SessionProperty where Session == CompressionSession, Value == Quality? {
    /// The constant quality, from 0 to 100 (``VideoEncoderConfiguration/quality``).
    public static var quality: Self { Self("Quality", \.quality, in: 0...100) }
}

extension SessionProperty where Session == CompressionSession, Value == ProfileLevel? {
    /// The profile, with a level or the encoder's choice of one (``VideoEncoderConfiguration/profile``,
    /// ``VideoEncoderConfiguration/level``).
    public static var profileLevel: Self { Self("ProfileLevel", \.profileLevel) }
}

extension SessionProperty where Session == CompressionSession, Value == EntropyMode? {
    /// The entropy coding of H.264 (``VideoEncoderConfiguration/entropyMode``). Supported for H.264 only.
    public static var h264EntropyMode: Self {
        Self("H264EntropyMode", \.entropyMode, for: [.h264])
    }
}

extension SessionProperty where Session == CompressionSession, Value == ScalingMode {
    /// How frames of another size are fitted into the output (``VideoEncoderConfiguration/scalingMode``).
    public static var scalingMode: Self { Self("ScalingMode", \.scalingMode) }
}

extension SessionProperty where Session == CompressionSession, Value == ColorDescription {
    /// The color description (``VideoEncoderConfiguration/color``): Apple's `ColorPrimaries`, `TransferFunction` and
    /// `YCbCrMatrix` in one value.
    public static var color: Self { Self("Color", \.color) }
}

extension SessionProperty where Session == CompressionSession, Value == MasteringDisplay? {
    /// The mastering display metadata of HDR10, part of ``VideoEncoderConfiguration/hdrMetadata``.
    public static var masteringDisplayColorVolume: Self {
        Self("MasteringDisplayColorVolume", \.hdrMetadata.masteringDisplay)
    }
}

extension SessionProperty where Session == CompressionSession, Value == ContentLightLevel? {
    /// The content light level metadata of HDR10, part of ``VideoEncoderConfiguration/hdrMetadata``.
    public static var contentLightLevelInfo: Self {
        Self("ContentLightLevelInfo", \.hdrMetadata.contentLightLevel)
    }
}

extension SessionProperty where Session == CompressionSession, Value == EncoderPreset {
    /// The trade-off between speed and quality (``VideoEncoderConfiguration/preset``). Apple's key is a Boolean.
    public static var prioritizeEncodingSpeedOverQuality: Self {
        Self("PrioritizeEncodingSpeedOverQuality", \.preset)
    }
}

extension SessionProperty where Session == CompressionSession, Value == String? {
    /// The display name of the device that encodes; nil until the encoder is open. Read-only.
    public static var encoderID: Self { Self("EncoderID", read: { $0.settings.device?.name }) }
}

/// All properties, for ``VideoSession/supportedProperties``.
enum CompressionProperties {
    private typealias Key<Value: Sendable> = SessionProperty<CompressionSession, Value>

    static let all: [PropertyEntry<CompressionSession>] = [
        .init(Key.averageBitRate), .init(Key.maxKeyFrameInterval), .init(Key.numberOfPendingFrames),
        .init(Key.realTime), .init(Key.allowFrameReordering), .init(Key.allowTemporalCompression),
        .init(Key.usingHardwareAcceleratedVideoEncoder), .init(Key.expectedFrameRate), .init(Key.pixelAspectRatio),
        .init(Key.maxKeyFrameIntervalDuration), .init(Key.dataRateLimits), .init(Key.quality),
        .init(Key.profileLevel), .init(Key.h264EntropyMode), .init(Key.scalingMode), .init(Key.color),
        .init(Key.masteringDisplayColorVolume), .init(Key.contentLightLevelInfo),
        .init(Key.prioritizeEncodingSpeedOverQuality), .init(Key.encoderID), .init(Key.baseLayerFrameRateFraction),
    ]
}

extension VideoHardware {
    /// Returns the properties of a codec's compression sessions, by name (C:
    /// `VTCopySupportedPropertyDictionaryForEncoder`). They are the same on all devices: with hardware that lacks one,
    /// another encoder is used.
    public static func supportedProperties(of codec: VideoCodec) -> [String: PropertyDescription] {
        [String: PropertyDescription](CompressionProperties.all, for: codec)
    }
}
