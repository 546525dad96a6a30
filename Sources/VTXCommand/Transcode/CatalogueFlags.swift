import VTXTask

/// The flags that the catalogue's options have on a command line.
enum CatalogueFlags {
    static func options(of group: OptionCatalogue.Group) -> [Option<TranscodeSettings>] {
        OptionCatalogue.options.filter { $0.group == group }.flatMap(flags)
    }

    /// Flags of one option, and those of options that exclude each other.
    static var exclusive: [[String]] {
        let shared = OptionCatalogue.options.map { option in flags(option).map(\.description.long) }
        return shared.filter { $0.count > 1 } + OptionCatalogue.exclusive.map { $0.map(FlagSpelling.long) }
    }

    private static func flags(_ option: RequestOption) -> [Option<TranscodeSettings>] {
        let shorthands = FlagSpelling.shorthands.filter { $0.option == option.name }.map { shorthand in
            flag(option, shorthand.long, shorthand.short, setting: shorthand.value, shorthand.help)
        }
        if option.isSwitch {
            return shorthands.isEmpty
                ? [flag(option, FlagSpelling.long(option.name), nil, setting: "true", FlagSpelling.help(option))]
                : shorthands
        }
        return FlagSpelling.isShorthandOnly(option.name) ? shorthands : [valued(option)] + shorthands
    }

    private static func flag(
        _ option: RequestOption, _ long: String, _ short: Character?, setting value: String, _ help: String
    ) -> Option<TranscodeSettings> {
        let description = OptionDescription(
            long: long, aliases: FlagSpelling.aliases[option.name] ?? [], short: short, value: nil, defaultText: nil,
            help: help)
        return Option(description: description) { settings, _ in option.takes(value, into: &settings.request) }
    }

    private static func valued(_ option: RequestOption) -> Option<TranscodeSettings> {
        let description = OptionDescription(
            long: FlagSpelling.long(option.name), aliases: FlagSpelling.aliases[option.name] ?? [], short: nil,
            value: option.value, defaultText: option.defaultText, help: FlagSpelling.help(option))
        return Option(description: description) { settings, text in option.takes(text, into: &settings.request) }
    }
}
