import Glibc
import VTXMedia
package import VTXTask

/// The spelling of options on the command line: the name in kebab case, with a few exceptions.
package enum FlagSpelling {
    /// - Returns: `--hw auto`, `--no-chapters`, `-y`.
    static let spelling: Message.Spelling = { name, value in
        if let value, let shorthand = shorthands.first(where: { $0.option == name && $0.value == value }) {
            return shorthand.short.map { "-\($0)" } ?? "--\(shorthand.long)"
        }
        return flag(name) + (value.map { " \($0)" } ?? "")
    }

    /// The spelling in records: flags, or names of settings for clients that do not use flags.
    static let recordSpelling: Message.Spelling = getenv(settingsVariable) == nil ? spelling : settingSpelling

    private static let settingSpelling: Message.Spelling = { name, value in
        value.map { "\(name.rawValue)=\($0)" } ?? name.rawValue
    }

    /// Makes the records of child processes use the names of settings, because a service's clients set no flags.
    package static func nameSettingsInRecords() { setenv(settingsVariable, "settings", 1) }

    private static let settingsVariable = "VTX_RECORD_NAMES"

    /// `--max-bitrate`.
    static func flag(_ name: OptionName) -> String { "--" + long(name) }

    /// Without the dashes.
    static func long(_ name: OptionName) -> String { exceptions[name] ?? kebabCase(name.rawValue) }

    /// Returns the option that an argument such as `--max-bitrate=8M` sets; nil for options that only the command has.
    static func option(_ argument: String) -> OptionName? {
        let name = argument.dropFirst(2).prefix { $0 != "=" }
        return shorthands.first { $0.long == name }?.option ?? OptionName.allCases.first { long($0) == name }
    }

    private static let exceptions: [OptionName: String] = [
        .keyFrameInterval: "gop", .bFrames: "no-b-frames", .frameRate: "fps", .dynamicRange: "hdr", .hardware: "hw",
        .videoStream: "video", .inputFrameRate: "input-fps", .chapters: "no-chapters", .metadata: "no-metadata",
        .failOnDowngrade: "no-downgrade", .workDirectory: "work-dir", .outputDirectory: "output-dir",
        .journal: "no-journal",
    ]

    /// Names of earlier versions, which still work but are not shown.
    static let aliases: [OptionName: [String]] = [.timestamps: ["clock"], .rotatePixels: ["bake-rotation"]]

    /// A flag for one value of an option.
    struct Shorthand: Sendable {
        let option: OptionName
        let value: String
        let long: String
        var short: Character?
        let help: String
    }

    static let shorthands = [
        Shorthand(option: .codec, value: "hevc", long: "hevc", help: "Encode HEVC (H.265); short for --codec hevc."),
        Shorthand(option: .codec, value: "h264", long: "h264", help: "Encode H.264 (AVC); short for --codec h264."),
        Shorthand(option: .codec, value: "av1", long: "av1", help: "Encode AV1; short for --codec av1."),
        Shorthand(option: .bFrames, value: "false", long: "no-b-frames", help: "Encode without B frames."),
        Shorthand(option: .chapters, value: "false", long: "no-chapters", help: "Drop chapters."),
        Shorthand(
            option: .metadata, value: "false", long: "no-metadata",
            help: "Drop titles, dates, locations and other tags."),
        Shorthand(
            option: .overwrite, value: "replace", long: "overwrite", short: "y",
            help: "Replace an existing output once the new file is complete and verified."),
        Shorthand(
            option: .overwrite, value: "skip", long: "no-clobber", short: "n",
            help: "Keep an existing output, and exit with code 0."),
    ]

    /// Whether the option has flags for its values, but none that takes a value.
    static func isShorthandOnly(_ name: OptionName) -> Bool { name == .overwrite }

    /// Returns the help that the catalogue cannot contain, because it is specific to the command.
    static func help(_ option: RequestOption) -> String {
        let more = option.name == .failOnFallback ? " The exit code is \(ExitCode.fallback.rawValue)." : ""
        return option.help.withFlags + more
    }

    /// Converts settings to arguments. A value is in one argument with its flag, so that it is never mistaken for
    /// another flag.
    package static let arguments: @Sendable (Settings) -> [String] = { settings in
        OptionCatalogue.options.flatMap { option in
            settings[option.name].map(option.value.values)?.compactMap { argument(option, $0) } ?? []
        }
    }

    /// Returns the flag with its value; nil for a default value without a flag.
    private static func argument(_ option: RequestOption, _ value: String) -> String? {
        guard option.isSwitch || isShorthandOnly(option.name) else { return "\(flag(option.name))=\(value)" }
        let shorthands = shorthands.filter { $0.option == option.name }
        if shorthands.isEmpty { return value == "true" ? flag(option.name) : nil }
        return shorthands.first { $0.value == value }.map { "--\($0.long)" }
    }

    private static func kebabCase(_ name: String) -> String {
        name.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    }
}

enum CatalogueFlags {
    /// - Parameter request: The path of the request in the command's settings.
    static func options<Settings>(
        of group: OptionCatalogue.Group, into request: any Option<Settings>.Path<TranscodeRequest>
    ) -> [Option<Settings>] {
        OptionCatalogue.options.filter { $0.group == group }.flatMap { option in
            flags(of: option).map { flag in
                Option(description: flag.description) { settings, text in
                    option.takes(flag.constant ?? text, into: &settings[keyPath: request])
                }
            }
        }
    }

    /// The flags of one option, and those of mutually exclusive options.
    static var exclusive: [[String]] {
        let shared = OptionCatalogue.options.map { option in flags(of: option).map(\.description.long) }
        return shared.filter { $0.count > 1 } + OptionCatalogue.exclusive.map { $0.map(FlagSpelling.long) }
    }

    private struct Flag {
        let description: OptionDescription
        /// The value that the flag sets; nil if the argument contains it.
        var constant: String?
    }

    private static func flags(of option: RequestOption) -> [Flag] {
        let shorthands = FlagSpelling.shorthands.filter { $0.option == option.name }.map { shorthand in
            constant(option, shorthand.long, shorthand.short, shorthand.value, shorthand.help)
        }
        if option.isSwitch {
            return shorthands.isEmpty
                ? [constant(option, FlagSpelling.long(option.name), nil, "true", FlagSpelling.help(option))]
                : shorthands
        }
        return FlagSpelling.isShorthandOnly(option.name) ? shorthands : [valued(option)] + shorthands
    }

    private static func constant(
        _ option: RequestOption, _ long: String, _ short: Character?, _ value: String, _ help: String
    ) -> Flag {
        let description = OptionDescription(
            long: long, aliases: FlagSpelling.aliases[option.name] ?? [], short: short, value: nil, defaultText: nil,
            help: help)
        return Flag(description: description, constant: value)
    }

    private static func valued(_ option: RequestOption) -> Flag {
        Flag(
            description: OptionDescription(
                long: FlagSpelling.long(option.name), aliases: FlagSpelling.aliases[option.name] ?? [], short: nil,
                value: option.value, defaultText: option.defaultText, help: FlagSpelling.help(option)))
    }
}

extension Message {
    /// The text with options as this command's flags.
    var withFlags: String { text(FlagSpelling.spelling) }
}
