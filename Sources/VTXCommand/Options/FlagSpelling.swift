import VTXMedia
import VTXTask

/// How the command spells options: the name in kebab case, but for a few.
enum FlagSpelling {
    /// - Returns: `--hw auto`, `--no-chapters`, `-y`.
    static let spelling: Message.Spelling = { name, value in
        if let value, let flag = flagsOfValues[name]?[value] { return flag }
        return flag(name) + (value.map { " \($0)" } ?? "")
    }

    /// `--max-bitrate`.
    static func flag(_ name: OptionName) -> String { "--" + long(name) }

    /// Without the dashes.
    static func long(_ name: OptionName) -> String { exceptions[name] ?? kebabCase(name.rawValue) }

    private static let exceptions: [OptionName: String] = [
        .keyFrameInterval: "gop", .bFrames: "no-b-frames", .frameRate: "fps", .dynamicRange: "hdr",
        .rotatePixels: "bake-rotation", .hardware: "hw", .videoStream: "video", .inputFrameRate: "input-fps",
        .chapters: "no-chapters", .metadata: "no-metadata", .failOnDowngrade: "no-downgrade",
    ]

    /// Values that have a flag of their own.
    private static let flagsOfValues: [OptionName: [String: String]] = [
        .codec: ["hevc": "--hevc", "h264": "--h264"], .overwrite: ["replace": "-y", "skip": "-n"],
    ]

    private static func kebabCase(_ name: String) -> String {
        name.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    }
}

extension Message {
    /// With the options as this command's flags.
    var withFlags: String { text(FlagSpelling.spelling) }
}
