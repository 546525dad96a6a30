import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

extension VideoEncoderSettings {
    /// The contract's words in those of libavcodec's `h264_vaapi` and `hevc_vaapi`, as far as the driver's row allows.
    init(
        _ configuration: EncoderConfiguration, _ row: DriverCapabilities.Row, _ rate: RateControlChoice,
        surfaces: SurfacePool?
    ) {
        self.init(
            codecName: configuration.codec == .h264 ? "h264_vaapi" : "hevc_vaapi", size: configuration.size,
            pixelFormat: configuration.pixelFormat, timeBase: configuration.timeBase,
            frameRate: configuration.frameRate, maxKeyFrameInterval: configuration.maxKeyFrameInterval,
            usesGlobalHeader: configuration.usesGlobalHeader)
        self.surfaces = surfaces
        sampleAspectRatio = configuration.sampleAspectRatio
        color = configuration.color
        let reorders = configuration.allowsFrameReordering && !configuration.isRealTime && row.reordersFrames
        maxBFrames = reorders ? 2 : 0
        bitrate = rate.bitrate
        maxBitrate = rate.maxBitrate
        bufferSize = rate.maxBitrate.map { configuration.vbv?.bufferSize ?? $0 }
        globalQuality = rate.quality
        compressionLevel = row.qualityLevels.map { Self.level(configuration.preset, of: $0) }
        options = [
            ("rc_mode", rate.mode.rawValue), ("low_power", row.entrypoint == .encSliceLP ? "1" : "0"),
            // Every key frame is an IDR picture: a place to cut at.
            ("idr_interval", "0"),
            ("profile", Self.profile(configuration.profile)),
        ]
        if configuration.profile == .baseline || configuration.entropyMode == .cavlc {
            options.append(("coder", "cavlc"))
        }
        if configuration.isRealTime { options.append(("async_depth", "1")) }
    }

    /// Level 1 is the driver's best, the last its fastest.
    private static func level(_ preset: EncoderPreset, of levels: Int) -> Int {
        switch preset {
        case .quality: 1
        case .balanced: (levels + 1) / 2
        case .fast: levels
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
