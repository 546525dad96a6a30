import VTXFFmpeg
package import VTXMedia
package import VTXSession

/// Encodes, decodes and filters on the CPU, with libavcodec and libavfilter.
package struct SoftwareBackend: VideoBackend {
    package static let device = DeviceID("software")

    package let isHardware = false

    package init() {}

    package func probe() -> [CapabilityMatrix] { [SoftwareCapabilities.matrix] }

    package func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession {
        guard device == Self.device else {
            throw SessionError(.badParameter, "the software backend has one device, 'software', not '\(device.name)'")
        }
        return SoftwareSession()
    }
}

/// A session without state, because the CPU need not be opened.
struct SoftwareSession: DeviceSession {
    var capabilities: CapabilityMatrix { SoftwareCapabilities.matrix }

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder {
        try SoftwareDecoder(configuration)
    }

    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter {
        guard let custom = configuration.custom else { return SoftwareFilter(configuration) }
        let subtitles = custom.subtitles.map { [SubtitleOverlay($0)] } ?? []
        return FilterSequence(
            [SoftwareFilter(configuration, upTo: custom)] + subtitles + [SoftwareFilter(configuration.after(custom))])
    }

    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder {
        try SoftwareEncoder(configuration)
    }

    /// Frames are already in system memory.
    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter { PassThrough() }

    func makeUpload() throws(SessionError) -> any VideoFilter { PassThrough() }

    func ffmpegArguments(for configuration: EncoderConfiguration, in mode: EncodingMode?) -> [String] {
        VideoEncoderSettings(configuration).ffmpegArguments
            + (X265Options.forcesEveryFrame(configuration) ? ["-force_key_frames", "expr:1"] : [])
    }

    func ffmpegFilters(for configuration: FilterConfiguration, source: FrameFormat) -> [String] {
        guard let custom = configuration.custom else { return FilterChain.describe(configuration, for: source) }
        return FilterChain.describe(configuration, upTo: custom, for: source)
            + (custom.subtitles == nil ? [] : [BitmapSubtitles.filter])
            + FilterChain.describe(configuration.after(custom), for: custom.output)
    }

    func ffmpegPlace(for format: PixelFormat) -> FFmpegPlace { FFmpegPlace() }
}

/// The capabilities of x264, x265 and SVT-AV1, if this build of libavcodec has them.
enum SoftwareCapabilities {
    static let matrix = CapabilityMatrix(
        device: SoftwareBackend.device, deviceName: "software (libavcodec)", isHardware: false,
        encoders: VideoProfile.allCases.filter { EncoderContext.exists(encoderName(for: $0.codec)) }.map(row))

    static func encoderName(for codec: VideoCodec) -> String {
        switch codec {
        case .h264: "libx264"
        case .hevc: "libx265"
        case .av1: "libsvtav1"
        }
    }

    private static func row(_ profile: VideoProfile) -> EncoderCapability {
        var row = encoder(profile)
        row.presets = EncoderPreset.names(for: profile.codec)
        return row
    }

    private static func encoder(_ profile: VideoProfile) -> EncoderCapability {
        switch profile.codec {
        case .h264:
            EncoderCapability(
                codec: .h264, profile: profile, minSize: PixelSize(2, 2), maxSize: PixelSize(16384, 16384),
                keepsCaptions: true, tunings: EncoderTuning.allCases, options: EncoderOptionNames.of(.h264))
        case .hevc:
            EncoderCapability(
                codec: .hevc, profile: profile, minSize: PixelSize(16, 16), maxSize: PixelSize(8192, 8192),
                keepsCaptions: X265Options.canWriteCaptions, tunings: [.animation, .grain],
                options: EncoderOptionNames.of(.hevc))
        case .av1:
            EncoderCapability(
                codec: .av1, profile: profile, minSize: PixelSize(64, 64), maxSize: PixelSize(16384, 8704),
                keepsCaptions: false, options: EncoderOptionNames.of(.av1))
        }
    }
}

extension VideoEncoderSettings {
    /// The settings as arguments of the `ffmpeg` command.
    var ffmpegArguments: [String] {
        var arguments = ["-c:v", codecName, "-pix_fmt", formatName]
        if let bitrate { arguments += ["-b:v", "\(bitrate)"] }
        if let maxBitrate { arguments += ["-maxrate", "\(maxBitrate)"] }
        if let bufferSize { arguments += ["-bufsize", "\(bufferSize)"] }
        arguments += ["-g", "\(maxKeyFrameInterval)"]
        if let maxBFrames { arguments += ["-bf", "\(maxBFrames)"] }
        if threads > 0 { arguments += ["-threads", "\(threads)"] }
        return arguments + options.flatMap { ["-\($0.0)", $0.1] }
    }

    /// The `ffmpeg` command converts full range to limited range unless the format's name implies full range.
    private var formatName: String {
        guard color.isFullRange == true, pixelFormat.bitDepth == 8, pixelFormat.name.hasPrefix("yuv") else {
            return pixelFormat.name
        }
        return "yuvj" + pixelFormat.name.dropFirst(3)
    }
}
