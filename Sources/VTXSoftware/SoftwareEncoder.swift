import VTXFFmpeg
import VTXMedia
import VTXSession

/// x264 or x265, through libavcodec.
final class SoftwareEncoder: VideoEncoder {
    private let context: EncoderContext
    private let forcesEveryFrame: Bool

    init(_ configuration: EncoderConfiguration) throws(SessionError) {
        forcesEveryFrame = X265Options.forcesEveryFrame(configuration)
        let name = SoftwareCapabilities.encoderName(for: configuration.codec)
        var settings = VideoEncoderSettings(configuration)
        // Not among the options that --explain shows: those are the same with every version of FFmpeg.
        if configuration.codec == .hevc, X265Options.canWriteCaptions { settings.options.append(("a53cc", "1")) }
        do {
            context = try EncoderContext(video: settings)
        } catch {
            throw SessionError(
                error, while: "opening \(name) for \(configuration.size) \(configuration.pixelFormat)",
                else: .badParameter)
        }
        if let unknown = context.unknownOptions.first {
            throw SessionError(.badParameter, "\(name) of this FFmpeg has no option '\(unknown)'")
        }
    }

    var parameters: CodecParameters { context.parameters }
    let compromises: [String] = []

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        frame?.setPictureType(isForcedKey: forcesKeyFrame || forcesEveryFrame)
        do { try context.send(frame) } catch {
            throw SessionError(error, while: "encoding", else: .badParameter)
        }
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> {
        do { return try context.receive() } catch {
            throw SessionError(error, while: "encoding", else: .badParameter)
        }
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
        bitrate = configuration.averageBitrate
        maxBitrate = configuration.vbv?.bitrate
        bufferSize = configuration.vbv?.bufferSize
        options =
            switch configuration.codec {
            case .h264: X264Options.all(for: configuration)
            case .hevc: X265Options.all(for: configuration)
            }
    }
}
