import VTXFFmpeg
import VTXMedia
import VTXSession

/// Converts a configuration to x264's options (x264 --fullhelp; libavcodec's `libx264`).
enum X264Options {
    static func all(for configuration: EncoderConfiguration) -> [(String, String)] {
        var options = [
            ("preset", configuration.presetName ?? preset(EncoderOptionText.preset(configuration))),
            ("profile", profile(configuration.profile)),
            // Like all key frames, forced ones must be IDR frames, which can be cut at.
            ("forced-idr", "1"),
        ]
        // libavcodec also limits the number of reference frames to what the level allows.
        if let level = configuration.level { options.append(("level", "\(level)")) }
        if configuration.isInterlaced { options.append(("flags", "+ildct+ilme")) }
        if let tune = EncoderOptionText.tune(configuration) { options.append(("tune", tune)) }
        if case .quality(let quality, _) = configuration.rateControl {
            options.append(("crf", EncoderOptionText.number(quality.rateFactor(for: .h264))))
        }
        if let pass = configuration.pass { options.append(("stats", pass.statistics)) }
        options.append(
            ("x264-params", EncoderOptionText.joined(parameters(for: configuration), after: configuration.options)))
        return options
    }

    static func preset(_ preset: EncoderPreset) -> String {
        switch preset {
        case .fast: "veryfast"
        case .balanced: "medium"
        case .quality: "slower"
        }
    }

    static func profile(_ profile: VideoProfile) -> String {
        profile == .high444 ? "high444" : profile.rawValue
    }

    private static func parameters(for configuration: EncoderConfiguration) -> [(String, String)] {
        var parameters = [
            // The level depends on the frame rate, which the time base does not contain.
            ("fps", "\(configuration.frameRate.numerator)/\(configuration.frameRate.denominator)")
        ]
        // Otherwise x264 writes the time base as the frame rate.
        if configuration.isConstantFrameRate { parameters.append(("force-cfr", "1")) }
        if let threshold = sceneCut(configuration) { parameters.append(("scenecut", "\(threshold)")) }
        // Two threads, one of several encoders', are as busy without one for the lookahead, which holds frames of its own.
        if configuration.threads == 2 { parameters.append(("sync-lookahead", "0")) }
        if configuration.hasUniformParameterSets { parameters.append(("stitchable", "1")) }
        if configuration.maxReorderDepth == 1 { parameters.append(("b-pyramid", "none")) }
        if configuration.writesTemporalLayers { parameters += EncoderOptionText.temporalLayers }
        if let mode = configuration.entropyMode { parameters.append(("cabac", mode == .cabac ? "1" : "0")) }
        if let display = configuration.hdrMetadata.masteringDisplay {
            parameters.append(("mastering-display", EncoderOptionText.masteringDisplay(display)))
        }
        if let light = configuration.hdrMetadata.contentLightLevel {
            parameters.append(("cll", "\(light.maxContent),\(light.maxFrameAverage)"))
        }
        return parameters
    }
}

extension X264Options {
    /// The distances from a key frame between which x264 by default raises its threshold for a cut, from a quarter to all
    /// of it.
    private static let (fullSceneCut, distances) = (40.0, 25...250)

    /// With a shorter interval between key frames, the threshold would rise sooner, and frames that are no cuts would cost
    /// the bits of key frames. At the end of the interval, this is what it is there by default.
    ///
    /// - Returns: nil for x264's own threshold, or the user's.
    fileprivate static func sceneCut(_ configuration: EncoderConfiguration) -> Int? {
        if configuration.hasFixedKeyFrames { return 0 }
        let interval = max(distances.lowerBound, configuration.maxKeyFrameInterval)
        guard interval < distances.upperBound, !configuration.options.contains(where: { $0.name == "scenecut" }) else {
            return nil
        }
        let share = Double(interval - distances.lowerBound) / Double(distances.count - 1)
        return Int(fullSceneCut * (0.25 + 0.75 * share))
    }
}

/// Converts a configuration to x265's options (x265 --fullhelp; libavcodec's `libx265`).
enum X265Options {
    /// Newer versions of libavcodec write captions with x265, but only if the option is set.
    static let canWriteCaptions = EncoderContext.hasOption("a53cc", of: "libx265")

    static func all(for configuration: EncoderConfiguration) -> [(String, String)] {
        var options = [
            ("preset", configuration.presetName ?? preset(EncoderOptionText.preset(configuration))),
            ("profile", profile(configuration.profile)),
            ("forced-idr", "1"),
        ]
        if let tune = EncoderOptionText.tune(configuration) { options.append(("tune", tune)) }
        if case .quality(let quality, _) = configuration.rateControl {
            options.append(("crf", EncoderOptionText.number(quality.rateFactor(for: .hevc))))
        }
        options.append(
            ("x265-params", EncoderOptionText.joined(parameters(for: configuration), after: configuration.options)))
        return options
    }

    /// With an interval of 1, x265 writes a range extensions profile (Main Intra), whatever the requested profile.
    static func forcesEveryFrame(_ configuration: EncoderConfiguration) -> Bool {
        configuration.codec == .hevc && configuration.maxKeyFrameInterval == 1
    }

    static func preset(_ preset: EncoderPreset) -> String {
        switch preset {
        case .fast: "veryfast"
        case .balanced: "medium"
        case .quality: "slow"
        }
    }

    static func profile(_ profile: VideoProfile) -> String { profile.name }

    private static func parameters(for configuration: EncoderConfiguration) -> [(String, String)] {
        var parameters = [
            // x265 writes open GOPs by default; only closed ones can be cut and sought to.
            ("open-gop", "0"),
            // x265 writes its own log to stderr, bypassing libav's.
            ("log-level", "error"),
        ]
        if configuration.hasFixedKeyFrames { parameters.append(("scenecut", "0")) }
        // They come with an SEI message of all settings, which is for information only.
        if configuration.hasUniformParameterSets { parameters.append(("info", "0")) }
        if configuration.maxReorderDepth == 1 { parameters.append(("b-pyramid", "0")) }
        if configuration.writesTemporalLayers { parameters += EncoderOptionText.temporalLayers }
        if let pass = configuration.pass {
            parameters += [("pass", "\(pass.number.rawValue)"), ("stats", pass.statistics), ("slow-firstpass", "0")]
        }
        // libavcodec sets the number of parallel frames; this is the number of threads for rows within frames.
        if let threads = configuration.threads { parameters.append(("pools", "\(threads)")) }
        if !configuration.usesGlobalHeader { parameters.append(("repeat-headers", "1")) }
        if let level = configuration.level { parameters += [("level-idc", "\(level)"), ("high-tier", "0")] }
        if let location = configuration.color.chromaLocation {
            parameters.append(("chromaloc", "\(location)"))
        }
        if configuration.vbv != nil, let fullness = configuration.initialBufferFullness {
            parameters.append(("vbv-init", "\(fullness)"))
        }
        return parameters + codingTree(configuration) + Self.parameters(of: configuration.hdrMetadata)
    }

    private static func parameters(of metadata: HDRMetadata) -> [(String, String)] {
        var parameters: [(String, String)] = []
        if let display = metadata.masteringDisplay {
            parameters.append(("master-display", EncoderOptionText.masteringDisplay(display)))
        }
        if let light = metadata.contentLightLevel {
            parameters.append(("max-cll", "\(light.maxContent),\(light.maxFrameAverage)"))
        }
        if !metadata.isEmpty { parameters.append(("hdr10", "1")) }
        return parameters
    }

    private static func codingTree(_ configuration: EncoderConfiguration) -> [(String, String)] {
        let size = codingTreeSize(configuration).map { [("ctu", "\($0)")] } ?? []
        // x265 (3.5) overruns its buffer for the lookahead's CU tree with pictures this small.
        let isSmall = min(configuration.size.width, configuration.size.height) < 64
        return isSmall ? size + [("cutree", "0")] : size
    }

    /// x265 adjusts its rate to a limit after each row of coding tree units. With only two or three rows of the usual
    /// 64 lines, it misses the limit by far. nil keeps the usual size.
    private static func codingTreeSize(_ configuration: EncoderConfiguration) -> Int? {
        guard configuration.vbv != nil, configuration.size.height < 4 * 64 else { return nil }
        // From level 5 on, 16 is not allowed (H.265 A.4.1), and x265 (3.5) crashes.
        if let level = configuration.level, level >= 5 { return 32 }
        return configuration.size.height < 4 * 32 || configuration.size.width < 32 ? 16 : 32
    }
}

/// Converts a configuration to SVT-AV1's options (SVT-AV1's `Docs/Parameters.md`; libavcodec's `libsvtav1`).
///
/// SVT-AV1 writes key frames only at its interval; they cannot be forced. It outputs one packet per displayed frame, in
/// display order. Frames coded earlier are hidden in these packets, so reordering need not be disabled.
enum SVTAV1Options {
    static func all(for configuration: EncoderConfiguration) -> [(String, String)] {
        var options = [("preset", configuration.presetName ?? preset(configuration.preset))]
        if case .quality(let quality, _) = configuration.rateControl {
            options.append(("crf", "\(Int(quality.rateFactor(for: .av1).rounded()))"))
        }
        let parameters = EncoderOptionText.joined(parameters(for: configuration), after: configuration.options)
        if !parameters.isEmpty { options.append(("svtav1-params", parameters)) }
        return options
    }

    static func preset(_ preset: EncoderPreset) -> String {
        switch preset {
        case .fast: "10"
        case .balanced: "8"
        case .quality: "5"
        }
    }

    private static func parameters(for configuration: EncoderConfiguration) -> [(String, String)] {
        var parameters: [(String, String)] = []
        if let display = configuration.hdrMetadata.masteringDisplay {
            parameters.append(("mastering-display", masteringDisplay(display)))
        }
        if let light = configuration.hdrMetadata.contentLightLevel {
            parameters.append(("content-light", "\(light.maxContent),\(light.maxFrameAverage)"))
        }
        return parameters
    }

    /// Chromaticities, and luminance in candelas per square meter, as decimal fractions.
    private static func masteringDisplay(_ display: MasteringDisplay) -> String {
        func point(_ name: String, _ point: MasteringDisplay.Chromaticity) -> String {
            "\(name)(\(Double(point.x) / 50_000),\(Double(point.y) / 50_000))"
        }
        return point("G", display.green) + point("B", display.blue) + point("R", display.red)
            + point("WP", display.white)
            + "L(\(Double(display.maxLuminance) / 10_000),\(Double(display.minLuminance) / 10_000))"
    }
}
