import VTXFFmpeg
import VTXMedia
import VTXSession

/// The contract's words in x264's own (x264 --fullhelp; libavcodec's `libx264`).
enum X264Options {
    static func all(for configuration: EncoderConfiguration) -> [(String, String)] {
        var options = [
            ("preset", preset(configuration.preset)),
            ("profile", profile(configuration.profile)),
            // A forced key frame must be a place to cut at, as every other one.
            ("forced-idr", "1"),
        ]
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
            // The level follows from the frame rate, which the time base does not tell.
            ("fps", "\(configuration.frameRate.numerator)/\(configuration.frameRate.denominator)")
        ]
        if configuration.hasFixedKeyFrames { parameters.append(("scenecut", "0")) }
        if configuration.maxReorderDepth == 1 { parameters.append(("b-pyramid", "none")) }
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

/// The contract's words in x265's own (x265 --fullhelp; libavcodec's `libx265`).
enum X265Options {
    /// Newer versions of libavcodec can, and do so only when they are told to.
    static let canWriteCaptions = EncoderContext.hasOption("a53cc", of: "libx265")

    static func all(for configuration: EncoderConfiguration) -> [(String, String)] {
        var options = [
            ("preset", preset(configuration.preset)),
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

    /// With an interval of 1, x265 writes a range extensions profile (Main Intra), whichever was asked for.
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
            // x265 opens groups by default; a closed one is what can be cut at and sought to.
            ("open-gop", "0"),
            // Its own account of itself would go to stderr, past libav's log.
            ("log-level", "error"),
        ]
        if configuration.hasFixedKeyFrames { parameters.append(("scenecut", "0")) }
        if configuration.maxReorderDepth == 1 { parameters.append(("b-pyramid", "0")) }
        if let pass = configuration.pass {
            parameters += [("pass", "\(pass.number.rawValue)"), ("stats", pass.statistics), ("slow-firstpass", "0")]
        }
        // Frames that are coded at one time take their number from libavcodec; these are the threads for rows of them.
        if let threads = configuration.threads { parameters.append(("pools", "\(threads)")) }
        if !configuration.usesGlobalHeader { parameters.append(("repeat-headers", "1")) }
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
        // x265 (3.5) writes past the end of what it has for the lookahead's block tree of so small a picture.
        let isSmall = min(configuration.size.width, configuration.size.height) < 64
        return isSmall ? size + [("cutree", "0")] : size
    }

    /// x265 corrects its aim at a limit with each row of coding tree units: with two or three of the usual 64 lines it
    /// misses by far. nil for the usual ones.
    private static func codingTreeSize(_ configuration: EncoderConfiguration) -> Int? {
        guard configuration.vbv != nil, configuration.size.height < 4 * 64 else { return nil }
        return configuration.size.height < 4 * 32 || configuration.size.width < 32 ? 16 : 32
    }
}

/// The contract's words in SVT-AV1's own (SVT-AV1's `Docs/Parameters.md`; libavcodec's `libsvtav1`).
///
/// It takes no key frames but those of its interval. It gives a packet for each frame that is shown, in their order:
/// those that are coded earlier are hidden in the packets, so there is no reordering to forbid.
enum SVTAV1Options {
    static func all(for configuration: EncoderConfiguration) -> [(String, String)] {
        var options = [("preset", preset(configuration.preset))]
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

    /// Chromaticities and candelas per square meter, as fractions.
    private static func masteringDisplay(_ display: MasteringDisplay) -> String {
        func point(_ name: String, _ point: MasteringDisplay.Chromaticity) -> String {
            "\(name)(\(Double(point.x) / 50_000),\(Double(point.y) / 50_000))"
        }
        return point("G", display.green) + point("B", display.blue) + point("R", display.red)
            + point("WP", display.white)
            + "L(\(Double(display.maxLuminance) / 10_000),\(Double(display.minLuminance) / 10_000))"
    }
}

/// How x264 and x265 write numbers, lists and what they call the same.
enum EncoderOptionText {
    /// x265 takes one; real time goes before what the pictures are like.
    static func tune(_ configuration: EncoderConfiguration) -> String? {
        if configuration.isRealTime { return "zerolatency" }
        return configuration.tuning.map { $0 == .stillImage ? "stillimage" : $0.rawValue }
    }

    /// The last of two with one name counts: what vtx sets goes before what the user asks for.
    static func joined(_ parameters: [(String, String)], after options: [EncoderOption]) -> String {
        (options.map(\.description) + parameters.map { "\($0)=\($1)" }).joined(separator: ":")
    }

    /// Without a fraction where there is none: `23`, `22.6`.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// Both encoders take the values of the SEI message: steps of 0.00002 and of 0.0001 cd/m2.
    static func masteringDisplay(_ display: MasteringDisplay) -> String {
        func point(_ name: String, _ point: MasteringDisplay.Chromaticity) -> String {
            "\(name)(\(point.x),\(point.y))"
        }
        return point("G", display.green) + point("B", display.blue) + point("R", display.red)
            + point("WP", display.white) + "L(\(display.maxLuminance),\(display.minLuminance))"
    }
}
