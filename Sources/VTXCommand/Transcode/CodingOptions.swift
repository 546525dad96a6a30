import VTXMedia
import VTXTask
import VTXTranscode

extension OptionGroup where Settings == TranscodeSettings {
    static let coding = OptionGroup(
        "Codec and rate",
        [
            .flag(
                "hevc", sets: \.request.codec, to: .hevc,
                "Encode HEVC (H.265). The default where hardware can."),
            .flag("h264", sets: \.request.codec, to: .h264, "Encode H.264 (AVC). The default elsewhere."),
            .optional(
                "quality", .quality, into: \.quality,
                "Constant quality, from 0 (worst) to 100 (transparent). The CRF is 51 - 0.4 N for H.264 and "
                    + "54 - 0.4 N, at most 51, for HEVC: 70 is 23 and 26. A step of 10 is about 1.6 times the size. "
                    + "Without --bitrate it is 70."),
            .optional(
                "bitrate", .bitrate(from: "1k", to: "1G"), into: \.bitrate,
                "Average bits per second, in place of a quality; k, M and G count in thousands."),
            .optional(
                "max-bitrate", .bitrate(from: "1k", to: "1G"), into: \.maxBitrate,
                "The most bits that any one second may take, wherever it begins, with --quality or --bitrate. The average "
                    + "stays below 0.7 of it, since key frames need the rest."),
            .value(
                "preset", .choice("PRESET"), into: \.request.preset,
                "How much time the encoder may spend on a frame."),
            .optional(
                "profile", .profile, into: \.profileName,
                "The codec's profile. H.264 has baseline, main, high, high10, high422 and high444; HEVC has "
                    + "main, main10, main422-10, main444-8 and main444-10."),
            .optional(
                "gop", .keyFrameInterval, into: \.request.keyFrameInterval,
                "The longest way from one key frame to the next, in frames (120), seconds (5s) or whichever "
                    + "comes first (120,5s). By default 5s."),
            .flag("no-b-frames", sets: \.request.allowsBFrames, to: false, "Encode without B frames."),
        ])
}
