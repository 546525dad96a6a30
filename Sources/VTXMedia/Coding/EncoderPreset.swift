/// The trade-off between encoding speed and quality.
public enum EncoderPreset: String, Sendable, Hashable, CaseIterable, Codable {
    case fast
    case balanced
    case quality
}

extension EncoderPreset {
    /// The presets of the software encoder of a codec under its own names, from fast to slow (x264 and x265), and by
    /// SVT-AV1's numbers, from slow to fast. x264's `fast` is missing: here it is a speed of any encoder.
    package static func names(for codec: VideoCodec) -> [String] {
        switch codec {
        case .h264, .hevc: words
        case .av1: numbers
        }
    }

    package static let words = [
        "ultrafast", "superfast", "veryfast", "faster", "medium", "slow", "slower", "veryslow", "placebo",
    ]
    package static let numbers = (0...13).map { "\($0)" }
}
