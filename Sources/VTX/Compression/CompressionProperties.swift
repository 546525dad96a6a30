public import VTXMedia
import VTXSession
import VTXSystem

/// Properties of a compression session: each is a field of ``VideoEncoderConfiguration``, by Apple's name.
extension SessionProperty where Session == CompressionSession {
    init(
        _ name: String, _ field: any WritableKeyPath<VideoEncoderConfiguration, Value> & Sendable,
        where isSupported: @escaping @Sendable (CompressionSession) -> Bool = { _ in true }
    ) {
        self.init(
            name, read: { $0.settings.configuration[keyPath: field] },
            write: { session, value throws(SessionError) in
                try session.settings.signals.check()
                try session.settings.change { configuration throws(SessionError) in
                    configuration[keyPath: field] = value
                    try configuration.check()
                    try session.core.encoders.check(configuration)
                }
            }, where: isSupported)
    }
}

extension SessionProperty where Session == CompressionSession, Value == Int {
    /// ``VideoEncoderConfiguration/bitrate``, in bits per second.
    public static var averageBitRate: Self { Self("AverageBitRate", \.bitrate) }
    /// ``VideoEncoderConfiguration/gopSize``, in frames.
    public static var maxKeyFrameInterval: Self { Self("MaxKeyFrameInterval", \.gopSize) }
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
    public static var expectedFrameRate: Self { Self("ExpectedFrameRate", \.fps) }
    /// ``VideoEncoderConfiguration/pixelAspectRatio``
    public static var pixelAspectRatio: Self { Self("PixelAspectRatio", \.pixelAspectRatio) }
}

extension SessionProperty where Session == CompressionSession, Value == Double? {
    /// ``VideoEncoderConfiguration/maxKeyFrameIntervalDuration``, in seconds.
    public static var maxKeyFrameIntervalDuration: Self {
        Self("MaxKeyFrameIntervalDuration", \.maxKeyFrameIntervalDuration)
    }
}

extension SessionProperty where Session == CompressionSession, Value == [DataRateLimit] {
    /// ``VideoEncoderConfiguration/dataRateLimits``
    public static var dataRateLimits: Self { Self("DataRateLimits", \.dataRateLimits) }
}

extension SessionProperty where Session == CompressionSession, Value == Quality? {
    /// ``VideoEncoderConfiguration/quality``
    public static var quality: Self { Self("Quality", \.quality) }
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

    static var all: [PropertyEntry<CompressionSession>] {
        [
            Key.averageBitRate.entry, Key.maxKeyFrameInterval.entry, Key.numberOfPendingFrames.entry,
            Key.realTime.entry, Key.allowFrameReordering.entry, Key.allowTemporalCompression.entry,
            Key.usingHardwareAcceleratedVideoEncoder.entry, Key.expectedFrameRate.entry, Key.pixelAspectRatio.entry,
            Key.maxKeyFrameIntervalDuration.entry, Key.dataRateLimits.entry, Key.quality.entry,
            Key.profileLevel.entry, Key.h264EntropyMode.entry, Key.scalingMode.entry, Key.color.entry,
            Key.masteringDisplayColorVolume.entry, Key.contentLightLevelInfo.entry,
            Key.prioritizeEncodingSpeedOverQuality.entry, Key.encoderID.entry,
        ]
    }
}

/// What callers on any thread and the session's queue both look at.
final class CompressionSettings: Sendable {
    struct Device: Sendable {
        var name: String
        var isHardware: Bool
    }

    private struct State {
        var configuration: VideoEncoderConfiguration
        var device: Device?
        var pendingCount = 0
        var waitingCount = 0
    }

    let signals = SessionSignals()
    private let state: Locked<State>

    init(_ configuration: VideoEncoderConfiguration) { state = Locked(State(configuration: configuration)) }

    var configuration: VideoEncoderConfiguration { state.withLock { $0.configuration } }
    var device: Device? { state.withLock { $0.device } }
    var pendingCount: Int { state.withLock { $0.pendingCount } }

    /// Changes nothing if the change is refused. Starts over if another change comes in between.
    func change(_ body: (inout VideoEncoderConfiguration) throws(SessionError) -> Void) throws(SessionError) {
        var isDone = false
        while !isDone {
            let before = configuration
            var after = before
            try body(&after)
            isDone = state.withLock { state in
                guard state.configuration == before else { return false }
                state.configuration = after
                return true
            }
        }
    }

    func note(_ device: Device) { state.withLock { $0.device = device } }
    func note(pendingCount: Int) { state.withLock { $0.pendingCount = pendingCount } }

    /// - Returns: false where too many frames wait already.
    func admit() -> Bool {
        state.withLock { state in
            guard state.waitingCount < CompressionSession.maxWaitingFrames else { return false }
            state.waitingCount += 1
            return true
        }
    }

    func noteStart() { state.withLock { $0.waitingCount -= 1 } }
}
