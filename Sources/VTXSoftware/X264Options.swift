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
        if configuration.isRealTime { options.append(("tune", "zerolatency")) }
        if case .quality(let quality, _) = configuration.rateControl {
            options.append(("crf", EncoderOptionText.number(quality.rateFactor(for: .h264))))
        }
        options.append(("x264-params", EncoderOptionText.joined(parameters(for: configuration))))
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
