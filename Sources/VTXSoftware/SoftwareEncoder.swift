import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSession

/// x264, x265 or SVT-AV1, through libavcodec.
///
/// Unchecked: by contract, only one thread calls it at a time.
final class SoftwareEncoder: VideoEncoder, @unchecked Sendable {
    private var context: EncoderContext
    private let configuration: EncoderConfiguration
    private let forcesEveryFrame: Bool
    let parameters: CodecParameters
    let compromises: [String] = []

    init(_ configuration: EncoderConfiguration) throws(SessionError) {
        self.configuration = configuration
        forcesEveryFrame = X265Options.forcesEveryFrame(configuration)
        context = try Self.open(configuration)
        parameters = context.parameters
    }

    private static func open(_ configuration: EncoderConfiguration) throws(SessionError) -> EncoderContext {
        let name = SoftwareCapabilities.encoderName(for: configuration.codec)
        var settings = VideoEncoderSettings(configuration)
        // Not part of `ffmpegArguments`, which are the same for all versions of FFmpeg.
        if configuration.codec == .hevc, X265Options.canWriteCaptions { settings.options.append(("a53cc", "1")) }
        let context = try open(settings, for: configuration)
        if let unknown = context.unknownOptions.first {
            throw SessionError(.badParameter, "\(name) of this FFmpeg has no option '\(unknown)'")
        }
        return context
    }

    /// For invalid encoder options, libavcodec only logs a warning and continues without them.
    private static func open(
        _ settings: VideoEncoderSettings, for configuration: EncoderConfiguration
    ) throws(SessionError) -> EncoderContext {
        let (result, lines) = LibraryLog.collecting(.warning) {
            Result { () throws(FFmpegError) in try EncoderContext(video: settings) }
        }
        let context: EncoderContext
        do { context = try result.get() } catch {
            if error.status == -EBUSY { throw SessionError(.notAvailableNow, "opening \(error)") }
            throw SessionError(
                error, while: "opening \(settings.codecName) for \(configuration.size) \(configuration.pixelFormat)",
                else: .badParameter)
        }
        if !configuration.options.isEmpty, let refusal = lines.first(where: isRefusal) {
            throw SessionError(.badParameter, "\(settings.codecName): \(refusal)")
        }
        return context
    }

    /// The messages in libavcodec's `libx264.c`, `libx265.c` and `libsvtav1.c`.
    private static func isRefusal(_ line: String) -> Bool {
        ["Error parsing option", "Unknown option", "Invalid value for"].contains { line.contains($0) }
    }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        if let frame { try checkRegions(of: frame) }
        frame?.setPictureType(isForcedKey: forcesKeyFrame || forcesEveryFrame)
        do { try context.send(frame) } catch {
            throw SessionError(error, while: "encoding", else: .badParameter)
        }
    }

    /// SVT-AV1 ignores regions.
    private func checkRegions(of frame: Frame) throws(SessionError) {
        guard configuration.codec != .av1 || frame.regions.isEmpty else {
            throw SessionError(.propertyNotSupported, "software supports no regions of interest in AV1")
        }
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> {
        do { return try context.receive() } catch {
            throw SessionError(error, while: "encoding", else: .badParameter)
        }
    }
}

extension SoftwareEncoder {
    /// The parameter sets stay the same; x265 writes the changed settings only into its SEI message. SVT-AV1 is not
    /// reopened, because a second instance would wait for the end of the first.
    func resume(after account: RateAccount) throws(SessionError) {
        guard configuration.codec != .av1 else { return }
        let changed = configuration.resumed(after: account)
        if changed != configuration { context = try Self.open(changed) }
    }

    /// x264 can change its VBV while encoding, but not add or remove one. Without one, its average covers all frames so
    /// far, and would follow a change only slowly.
    func changeRate(to wanted: EncoderConfiguration) -> Bool {
        let hasSameControl =
            configuration.averageBitrate != nil && wanted.averageBitrate != nil
            || configuration.rateControl == wanted.rateControl
        let isPossible =
            configuration.codec == .h264 && hasSameControl && configuration.frameRate == wanted.frameRate
            && configuration.vbv != nil && wanted.vbv != nil
            && configuration.maxKeyFrameInterval == wanted.maxKeyFrameInterval
        guard isPossible, let settings = settings(for: wanted) else { return false }
        context.changeRate(to: settings)
        return true
    }

    /// x264 changes its average only if it equals the VBV's rate from the beginning. Otherwise a lower average becomes
    /// the rate of the VBV.
    ///
    /// - Returns: nil for a higher average, which x264 would not reach.
    private func settings(for wanted: EncoderConfiguration) -> VideoEncoderSettings? {
        var settings = VideoEncoderSettings(wanted)
        guard let first = configuration.averageBitrate, let vbv = configuration.vbv, vbv.bitrate > first,
            let average = settings.bitrate, let max = settings.maxBitrate, let size = settings.bufferSize,
            average != first
        else { return settings }
        guard average < first else { return nil }
        (settings.maxBitrate, settings.bufferSize) = (average, size * average / max)
        return settings
    }
}

extension VideoEncoderSettings {
    init(_ configuration: EncoderConfiguration) {
        self.init(
            codecName: SoftwareCapabilities.encoderName(for: configuration.codec), size: configuration.size,
            pixelFormat: configuration.pixelFormat, timeBase: configuration.timeBase,
            frameRate: configuration.frameRate, maxKeyFrameInterval: configuration.maxKeyFrameInterval,
            usesGlobalHeader: configuration.usesGlobalHeader)
        sampleAspectRatio = configuration.sampleAspectRatio
        color = configuration.color
        if !configuration.reordersFrames { maxBFrames = 0 }
        if X265Options.forcesEveryFrame(configuration) { (maxKeyFrameInterval, maxBFrames) = (2, 0) }
        setRate(configuration)
        (threads, openTimeout) = (configuration.threads ?? 0, configuration.openTimeout)
        isInterlaced = configuration.isInterlaced
        // libavcodec supports only one pass with SVT-AV1.
        if configuration.codec != .av1 { pass = configuration.pass?.number }
        options =
            switch configuration.codec {
            case .h264: X264Options.all(for: configuration)
            case .hevc: X265Options.all(for: configuration)
            case .av1: SVTAV1Options.all(for: configuration)
            }
    }

    private mutating func setRate(_ configuration: EncoderConfiguration) {
        bitrate = configuration.averageBitrate
        maxBitrate = configuration.vbv?.bitrate
        bufferSize = configuration.vbv?.bufferSize
        initialBufferFullness = configuration.codec == .av1 ? nil : configuration.initialBufferFullness
        // SVT-AV1 accepts a maximum bit rate only with a constant quality (since 2.0), not with an average. The actual
        // rate is measured.
        if configuration.codec == .av1, bitrate != nil { (maxBitrate, bufferSize) = (nil, nil) }
    }
}
