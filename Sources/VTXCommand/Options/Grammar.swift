import VTXTask

/// Everything that a command accepts on its command line.
struct Grammar<Settings: CommandSettings>: Sendable {
    var positionals: [Positional<Settings>] = []
    /// In the order of help.
    var groups: [OptionGroup<Settings>] = []
    var rules = OptionRules()
    /// Where arguments beyond the positionals are stored; nil if there must be none.
    var further: (any Option<Settings>.Path<[String]>)?
    /// Where options are recorded verbatim, for a command that starts itself with them.
    var record: (any Option<Settings>.Path<[String]>)?

    /// The command's options, and `--help`, which all commands share.
    var options: [Option<Settings>] { groups.flatMap(\.options) + [.help] }

    /// The options with their headings, for help; `--help` comes last.
    var sections: [OptionSection] {
        var sections = groups.map { OptionSection(title: $0.title, options: $0.options.map(\.description)) }
        if sections.isEmpty { sections = [OptionSection(title: "Options", options: [])] }
        sections[sections.count - 1].options.append(Option<Settings>.help.description)
        return sections
    }
}

/// A group of related options.
struct OptionGroup<Settings: CommandSettings>: Sendable {
    let title: String
    let options: [Option<Settings>]

    init(_ title: String, _ options: [Option<Settings>]) {
        self.title = title
        self.options = options
    }
}

/// A group of options in help.
struct OptionSection: Sendable, Hashable {
    let title: String
    var options: [OptionDescription]
}

/// The relations between options, by long names without dashes.
struct OptionRules: Sendable, Hashable {
    /// Sets of mutually exclusive options.
    var exclusive: [[String]] = []
    /// Options that require another one.
    var requirements: [Requirement] = []

    struct Requirement: Sendable, Hashable {
        let option: String
        let needs: String
    }

    /// Returns the options that exclude this one.
    func rivals(of option: String) -> [String] {
        exclusive.filter { $0.contains(option) }.flatMap(\.self).filter { $0 != option }
    }

    /// Checks the first rule that this set of options violates.
    func check(_ given: Set<String>) throws(UsageError) {
        for set in exclusive {
            let clash = set.filter(given.contains)
            if clash.count > 1 { throw .conflict("--\(clash[0])", "--\(clash[1])") }
        }
        for requirement in requirements where given.contains(requirement.option) {
            guard given.contains(requirement.needs) else {
                throw .needs("--\(requirement.option)", "--\(requirement.needs)")
            }
        }
    }
}

/// The settings that a command's arguments define; `init()` sets the defaults.
package protocol CommandSettings: Sendable {
    init()
}

/// An option of a command: its description, and its effect on the settings.
struct Option<Settings: CommandSettings>: Sendable {
    let description: OptionDescription
    /// Returns false if the text is not a valid value. A flag is applied with an empty text.
    let apply: @Sendable (inout Settings, String) -> Bool
}

/// The part of an option for help, completions and messages.
struct OptionDescription: Sendable, Hashable {
    /// Without dashes.
    let long: String
    /// Names of earlier versions, which still work but are not shown.
    var aliases: [String] = []
    let short: Character?
    /// nil for a flag.
    let value: ValueDescription?
    let defaultText: String?
    /// A sentence.
    let help: String

    /// As written on the command line.
    var flag: String { "--\(long)" }

    func isCalled(_ name: String) -> Bool { name == long || aliases.contains(name) }
}

extension Option {
    typealias Path<Value> = WritableKeyPath<Settings, Value> & Sendable

    /// `--json` for commands that end with a result.
    static func json(sets path: any Path<Bool>) -> Option {
        .flag(
            "json", sets: path, to: true,
            "Print JSON records, one per line; the last has the type \"result\".")
    }

    /// Creates an option without a value, which sets a property to a constant.
    static func flag<Value: Sendable>(
        _ long: String, short: Character? = nil, sets path: any Path<Value>, to constant: Value,
        _ help: String
    ) -> Option {
        let description = OptionDescription(
            long: long, short: short, value: nil, defaultText: nil, help: help)
        return Option(description: description) { settings, _ in
            settings[keyPath: path] = constant
            return true
        }
    }

    /// Creates an option whose property always has a value. Help shows the default.
    static func value<Value>(
        _ long: String, _ type: ValueType<Value>, into path: any Path<Value>, _ help: String
    ) -> Option {
        let description = OptionDescription(
            long: long, short: nil, value: type.description,
            defaultText: type.write(Settings()[keyPath: path]), help: help)
        return Option(description: description) { settings, text in
            guard let value = type.read(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
    }

    /// Creates an option whose property is nil unless it is given.
    static func optional<Value>(
        _ long: String, _ type: ValueType<Value>, into path: any Path<Value?>, _ help: String
    ) -> Option {
        let description = OptionDescription(
            long: long, short: nil, value: type.description, defaultText: nil, help: help)
        return Option(description: description) { settings, text in
            guard let value = type.read(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
    }

    /// Shared by all commands; the parser stops at it.
    static var help: Option {
        let description = OptionDescription(
            long: "help", short: "h", value: nil, defaultText: nil, help: "Show this help.")
        return Option(description: description) { _, _ in true }
    }
}

/// A positional argument.
struct Positional<Settings: CommandSettings>: Sendable {
    let description: PositionalDescription
    /// Returns false if the text is not a valid value.
    let apply: @Sendable (inout Settings, String) -> Bool

    static func required<Value>(
        _ type: ValueType<Value>, into path: any Option<Settings>.Path<Value>, _ help: String
    ) -> Positional {
        let description = PositionalDescription(value: type.description, isRequired: true, help: help)
        return Positional(description: description) { settings, text in
            guard let value = type.read(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
    }

    static func optional<Value>(
        _ type: ValueType<Value>, into path: any Option<Settings>.Path<Value?>, _ help: String
    ) -> Positional {
        let description = PositionalDescription(value: type.description, isRequired: false, help: help)
        return Positional(description: description) { settings, text in
            guard let value = type.read(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
    }
}

/// The part of a positional argument for help, completions and messages.
struct PositionalDescription: Sendable, Hashable {
    let value: ValueDescription
    let isRequired: Bool
    /// A sentence.
    let help: String

    var name: String { value.name }
    /// `INPUT`, or `[OUTPUT]` if it is optional.
    var synopsis: String { isRequired ? name : "[\(name)]" }
}

extension ValueType where Value == String {
    /// Rejects `-`, because vtx seeks in its input, and reads back and renames its output.
    static func filePath(_ name: String) -> ValueType {
        let expected = "the path of a file; not '-', as pipes cannot be sought in (write ./- for such a name)"
        return ValueType(
            name, expects: expected, completion: .files, read: { $0.isEmpty || $0 == "-" ? nil : $0 })
    }

    /// Accepts pipes, because it is written once, sequentially.
    static func outputPath(_ name: String) -> ValueType {
        ValueType(
            name, expects: "the path of a file, or - for standard output", completion: .files,
            read: { $0.isEmpty ? nil : $0 })
    }

    /// Accepts pipes, because it is read once, sequentially.
    static func inputPath(_ name: String) -> ValueType {
        ValueType(
            name, expects: "the path of a file, or - for standard input", completion: .files,
            read: { $0.isEmpty ? nil : $0 })
    }
}
