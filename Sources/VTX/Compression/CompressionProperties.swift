public import VTXMedia
import VTXSession

/// Properties of a compression session: each is a field of ``VideoEncoderConfiguration``, by Apple's name.
extension SessionProperty where Session == CompressionSession {
    init(
        _ name: String, _ field: any WritableKeyPath<VideoEncoderConfiguration, Value> & Sendable,
        in range: ClosedRange<Double>? = nil,
        where isSupported: @escaping @Sendable (CompressionSession) -> Bool = { _ in true }
    ) {
        self.init(
            name, read: { $0.settings.configuration[keyPath: field] },
            write: { session, value throws(SessionError) in try session.change { $0[keyPath: field] = value } })
        edit = { $0[keyPath: field] = $1 }
        self.isSupported = isSupported
        self.range = range
        defaultValue = "\(VideoEncoderConfiguration()[keyPath: field])"
    }
}

extension CompressionSession {
    /// Changes the configuration, or nothing where it could not be.
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
    /// ``VideoEncoderConfiguration/bitrate``, in bits per second. x264 with data-rate limits takes a change at once, others
    /// with the next key frame.
    public static var averageBitRate: Self {
        Self("AverageBitRate", \.bitrate, in: VideoEncoderConfiguration.bitrates.asNumbers)
    }
    /// ``VideoEncoderConfiguration/gopSize``, in frames.
    public static var maxKeyFrameInterval: Self {
        Self("MaxKeyFrameInterval", \.gopSize, in: VideoEncoderConfiguration.gopSizes.asNumbers)
    }
    /// Frames that were put in and have not come out. Read-only.
    public static var numberOfPendingFrames: Self {
        Self("NumberOfPendingFrames", read: { $0.settings.pendingCount })
    }
}

extension SessionProperty where Session == CompressionSession, Value == Bool {
    /// ``VideoEncoderConfiguration/isRealTime``
    public static var realTime: Self { Self("RealTime", \.isRealTime) }
    /// ``VideoEncoderConfiguration/openBFrame``
    public static var allowFrameReordering: Self { Self("AllowFrameReordering", \.openBFrame) }
    /// ``VideoEncoderConfiguration/allowsTemporalCompression``
    public static var allowTemporalCompression: Self {
        Self("AllowTemporalCompression", \.allowsTemporalCompression)
    }
    /// ``VideoSession/isUsingHardware``. Read-only.
    public static var usingHardwareAcceleratedVideoEncoder: Self {
        Self("UsingHardwareAcceleratedVideoEncoder", read: { $0.isUsingHardware })
    }
}

extension SessionProperty where Session == CompressionSession, Value == Rational {
    /// ``VideoEncoderConfiguration/fps``
    public static var expectedFrameRate: Self {
        Self("ExpectedFrameRate", \.fps, in: Rational.frameRates)
    }
    /// ``VideoEncoderConfiguration/pixelAspectRatio``; sessions for AV1 do not have it.
    public static var pixelAspectRatio: Self {
        Self("PixelAspectRatio", \.pixelAspectRatio, where: { $0.codec != .av1 })
    }
}

extension SessionProperty where Session == CompressionSession, Value == Double? {
    /// ``VideoEncoderConfiguration/maxKeyFrameIntervalDuration``, in seconds.
    public static var maxKeyFrameIntervalDuration: Self {
        Self("MaxKeyFrameIntervalDuration", \.maxKeyFrameIntervalDuration, in: 0...3600)
    }
}

extension SessionProperty where Session == CompressionSession, Value == [DataRateLimit] {
    /// ``VideoEncoderConfiguration/dataRateLimits``
    public static var dataRateLimits: Self { Self("DataRateLimits", \.dataRateLimits) }
}

extension SessionProperty where Session == CompressionSession, Value == Quality? {
    /// ``VideoEncoderConfiguration/quality``
    public static var quality: Self { Self("Quality", \.quality, in: 0...100) }
}

extension SessionProperty where Session == CompressionSession, Value == VideoProfile? {
    /// ``VideoEncoderConfiguration/profile``
    public static var profileLevel: Self { Self("ProfileLevel", \.profile) }
}

extension SessionProperty where Session == CompressionSession, Value == EntropyMode? {
    /// ``VideoEncoderConfiguration/entropyMode``; sessions for HEVC do not have it.
    public static var h264EntropyMode: Self {
        Self("H264EntropyMode", \.entropyMode, where: { $0.codec == .h264 })
    }
}

extension SessionProperty where Session == CompressionSession, Value == ScalingMode {
    /// ``VideoEncoderConfiguration/scalingMode``
    public static var scalingMode: Self { Self("ScalingMode", \.scalingMode) }
}

extension SessionProperty where Session == CompressionSession, Value == ColorDescription {
    /// ``VideoEncoderConfiguration/color``: Apple's `ColorPrimaries`, `TransferFunction` and `YCbCrMatrix` in one.
    public static var color: Self { Self("Color", \.color) }
}

extension SessionProperty where Session == CompressionSession, Value == MasteringDisplay? {
    /// The half of ``VideoEncoderConfiguration/hdrMetadata`` that describes the display.
    public static var masteringDisplayColorVolume: Self {
        Self("MasteringDisplayColorVolume", \.hdrMetadata.masteringDisplay)
    }
}

extension SessionProperty where Session == CompressionSession, Value == ContentLightLevel? {
    /// The half of ``VideoEncoderConfiguration/hdrMetadata`` that describes the content.
    public static var contentLightLevelInfo: Self {
        Self("ContentLightLevelInfo", \.hdrMetadata.contentLightLevel)
    }
}

extension SessionProperty where Session == CompressionSession, Value == EncoderPreset {
    /// ``VideoEncoderConfiguration/preset``; Apple's key knows speed or quality only.
    public static var prioritizeEncodingSpeedOverQuality: Self {
        Self("PrioritizeEncodingSpeedOverQuality", \.preset)
    }
}

extension SessionProperty where Session == CompressionSession, Value == String? {
    /// The device that encodes, for people; nil before the encoder is open. Read-only.
    public static var encoderID: Self { Self("EncoderID", read: { $0.settings.device?.name }) }
}

/// All of them, for ``VideoSession/supportedProperties``.
enum CompressionProperties {
    private typealias Key<Value: Sendable> = SessionProperty<CompressionSession, Value>

    static let all: [PropertyEntry<CompressionSession>] = [
        .init(Key.averageBitRate), .init(Key.maxKeyFrameInterval), .init(Key.numberOfPendingFrames),
        .init(Key.realTime), .init(Key.allowFrameReordering), .init(Key.allowTemporalCompression),
        .init(Key.usingHardwareAcceleratedVideoEncoder), .init(Key.expectedFrameRate), .init(Key.pixelAspectRatio),
        .init(Key.maxKeyFrameIntervalDuration), .init(Key.dataRateLimits), .init(Key.quality),
        .init(Key.profileLevel), .init(Key.h264EntropyMode), .init(Key.scalingMode), .init(Key.color),
        .init(Key.masteringDisplayColorVolume), .init(Key.contentLightLevelInfo),
        .init(Key.prioritizeEncodingSpeedOverQuality), .init(Key.encoderID),
    ]
}
