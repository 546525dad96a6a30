import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

extension VideoEncoderSettings {
    /// Frames that the GPU works on at one time. Intel measured a fifth more speed than with libavcodec's 2.
    private static let asyncDepth = 4

    /// The configuration for libavcodec's `h264_vaapi` and `hevc_vaapi`, as far as the driver's row allows.
    init(_ configuration: EncoderConfiguration, _ candidate: EncoderCandidate, surfaces: SurfacePool?) {
        let (row, rate) = (candidate.row, candidate.rate)
        self.init(
            codecName: configuration.codec == .h264 ? "h264_vaapi" : "hevc_vaapi", size: configuration.size,
            pixelFormat: configuration.pixelFormat, timeBase: configuration.timeBase,
            frameRate: configuration.frameRate, maxKeyFrameInterval: configuration.maxKeyFrameInterval,
            usesGlobalHeader: configuration.usesGlobalHeader)
        self.surfaces = surfaces
        sampleAspectRatio = configuration.sampleAspectRatio
        color = configuration.color
        let bFrameDepth = min(configuration.hardware.bFrameDepth ?? 1, configuration.maxReorderDepth ?? .max)
        // As many as the levels need; libavcodec takes at most 7.
        maxBFrames = candidate.reorders(configuration) ? (bFrameDepth > 1 ? min(7, (1 << bFrameDepth) - 1) : 2) : 0
        bitrate = rate.bitrate
        maxBitrate = rate.maxBitrate
        bufferSize = rate.maxBitrate.map { configuration.vbv?.bufferSize ?? $0 }
        globalQuality = rate.quality
        compressionLevel = row.qualityLevels.map {
            candidate.quirks.qualityLevels.level(for: configuration.preset, of: $0)
        }
        options = [
            ("rc_mode", rate.mode.rawValue), ("low_power", row.entrypoint == .encSliceLP ? "1" : "0"),
            // Every key frame is an IDR picture: a place to cut at.
            ("idr_interval", "0"),
            ("profile", Self.profile(configuration.profile)),
            // Without captions: libavcodec 5.1 does not write them, and later ones fail at many ("Access unit too large").
            ("sei", configuration.codec == .h264 ? "identifier+timing+recovery_point" : "hdr"),
            ("async_depth", "\(configuration.isRealTime ? 1 : configuration.hardware.asyncDepth ?? Self.asyncDepth)"),
        ]
        if bFrameDepth > 1 { options.append(("b_depth", "\(bFrameDepth)")) }
        if configuration.profile == .baseline || configuration.entropyMode == .cavlc {
            options.append(("coder", "cavlc"))
        }
    }

    private static func profile(_ profile: VideoProfile) -> String {
        profile == .baseline ? "constrained_baseline" : profile.name
    }

    /// The same settings as the `ffmpeg` command takes them.
    var ffmpegArguments: [String] {
        var arguments = ["-c:v", codecName]
        if let bitrate { arguments += ["-b:v", "\(bitrate)"] }
        if let maxBitrate { arguments += ["-maxrate", "\(maxBitrate)"] }
        if let bufferSize { arguments += ["-bufsize", "\(bufferSize)"] }
        if let globalQuality { arguments += ["-global_quality", "\(globalQuality)"] }
        if let compressionLevel { arguments += ["-compression_level", "\(compressionLevel)"] }
        arguments += ["-g", "\(maxKeyFrameInterval)"]
        if let maxBFrames { arguments += ["-bf", "\(maxBFrames)"] }
        return arguments + options.flatMap { ["-\($0.0)", $0.1] }
    }
}
