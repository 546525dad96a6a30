import VTXJSON
import VTXMedia
import VTXTask

// The encoder's preset and tuning.
extension HandBrakePreset {
    /// Software encoders keep their presets, except x264's and x265's `fast`, which has another meaning in vtx.
    mutating func takePreset(_ fields: HandBrakeFields, _ encoder: String) {
        guard let word = fields.word("VideoPreset"), word != "medium" else { return }
        if settings[OptionName.hardware.rawValue] == "off", let codec,
            EncoderPreset.names(for: codec).contains(word)
        {
            return set(.preset, Int64(word).map { .integer($0) } ?? .string(word))
        }
        if settings[OptionName.hardware.rawValue] == "off", word == "fast" {
            leave("VideoPreset fast", "vtx's balanced, which is medium, replaces it")
        }
        takeSpeed(word)
    }

    /// The presets of NVENC, Quick Sync and VCE; SVT-AV1 counts from slow to fast.
    private mutating func takeSpeed(_ word: String) {
        let preset: EncoderPreset? =
            switch word {
            case "ultrafast", "superfast", "veryfast", "faster", "speed", "fastest", "p1", "p2": .fast
            case "fast", "medium", "balanced", "default", "p3", "p4", "p5": .balanced
            case "slow", "slower", "veryslow", "placebo", "quality", "slowest", "p6", "p7": .quality
            default: Int(word).map { $0 >= 10 ? .fast : $0 >= 7 ? .balanced : .quality }
            }
        guard let preset else { return leave("VideoPreset \(word)", "vtx has fast, balanced and quality") }
        if preset != .balanced { set(.preset, .string(preset.rawValue)) }
    }

    mutating func takeTune(_ word: String, _ encoder: String) {
        let tuning = EncoderTuning(rawValue: word == "stillimage" ? "still-image" : word)
        let isTaken = encoder.hasPrefix("x264") || encoder.hasPrefix("x265") && [.animation, .grain].contains(tuning)
        guard let tuning, isTaken else {
            return leave("VideoTune \(word)", "the encoder has no such tuning here")
        }
        set(.tune, .string(tuning.rawValue))
    }
}
