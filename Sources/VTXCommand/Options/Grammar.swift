import VTXTask

/// Everything a command accepts on its command line.
struct Grammar<Settings: CommandSettings>: Sendable {
    var positionals: [Positional<Settings>] = []
    /// In the order in which help shows them.
    var groups: [OptionGroup<Settings>] = []
    var rules = OptionRules()
    /// Where arguments go that are no options and more than there are positionals; nil where there may be none.
    var further: (any Option<Settings>.Path<[String]>)?
    /// Where the options are noted as they were given, for a command that starts itself with them.
    var record: (any Option<Settings>.Path<[String]>)?

    /// The command's own options and the one that all commands share.
    var options: [Option<Settings>] { groups.flatMap(\.options) + [.help] }

    /// The options under their titles, for help; `--help` comes last.
    var sections: [OptionSection] {
        var sections = groups.map { OptionSection(title: $0.title, options: $0.options.map(\.description)) }
        if sections.isEmpty { sections = [OptionSection(title: "Options", options: [])] }
        sections[sections.count - 1].options.append(Option<Settings>.help.description)
        return sections
    }
}

/// Options that belong together.
struct OptionGroup<Settings: CommandSettings>: Sendable {
    let title: String
    let options: [Option<Settings>]

    init(_ title: String, _ options: [Option<Settings>]) {
        self.title = title
        self.options = options
    }
}

/// A group of options as help shows it.
struct OptionSection: Sendable, Hashable {
    let title: String
    var options: [OptionDescription]
}

/// What options mean to each other; all names are long names without dashes.
struct OptionRules: Sendable, Hashable {
    /// Of each set, one at most may be given.
    var exclusive: [[String]] = []
    /// The first makes sense only with the second.
    var requirements: [Requirement] = []

    struct Requirement: Sendable, Hashable {
        let option: String
        let needs: String
    }

    /// The options that cannot be given together with this one.
    func rivals(of option: String) -> [String] {
        exclusive.filter { $0.contains(option) }.flatMap(\.self).filter { $0 != option }
    }

    /// The first rule that this set of options breaks.
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

/// What a command's arguments add up to; `init()` holds the defaults.
package protocol CommandSettings: Sendable {
    init()
}

/// One option of a command: what is said about it, and what it does to the settings.
struct Option<Settings: CommandSettings>: Sendable {
    let description: OptionDescription
    /// False when the text is not a value of the option. A flag is applied with an empty text.
    let apply: @Sendable (inout Settings, String) -> Bool
}

/// The part of an option that help, completions and messages need.
struct OptionDescription: Sendable, Hashable {
    /// Without the dashes.
    let long: String
    /// Names of earlier versions, which still work and are not shown.
    var aliases: [String] = []
    let short: Character?
    /// nil for a flag.
    let value: ValueDescription?
    let defaultText: String?
    /// A sentence.
    let help: String

    /// As people write it.
    var flag: String { "--\(long)" }

    func isCalled(_ name: String) -> Bool { name == long || aliases.contains(name) }
}

extension Option {
    typealias Path<Value> = WritableKeyPath<Settings, Value> & Sendable

    /// `--json` of commands that end with a result.
    static func json(sets path: any Path<Bool>) -> Option {
        .flag(
            "json", sets: path, to: true,
            "Print JSON records to standard output, one a line; the last has the type \"result\".")
    }

    /// An option without a value, which sets one property to one constant.
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

    /// An option whose property always has a value; help shows the one it starts with.
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

    /// An option whose property is nil until it is given.
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

    /// Every command has it; the parser stops at it.
    static var help: Option {
        let description = OptionDescription(
            long: "help", short: "h", value: nil, defaultText: nil, help: "Show this help.")
        return Option(description: description) { _, _ in true }
    }
}

/// An argument that is known by its place.
struct Positional<Settings: CommandSettings>: Sendable {
    let description: PositionalDescription
    /// False when the text is not a value of the argument.
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

/// The part of a positional argument that help, completions and messages need.
struct PositionalDescription: Sendable, Hashable {
    let value: ValueDescription
    let isRequired: Bool
    /// A sentence.
    let help: String

    var name: String { value.name }
    /// `INPUT`, or `[OUTPUT]` for one that may be left out.
    var synopsis: String { isRequired ? name : "[\(name)]" }
}

extension ValueType where Value == String {
    /// `-` is refused: vtx seeks in its input, and reads back and renames what it wrote.
    static func filePath(_ name: String) -> ValueType {
        let expected = "the path of a file; not '-', as pipes cannot be sought in (write ./- for such a name)"
        return ValueType(
            name, expects: expected, completion: .files, read: { $0.isEmpty || $0 == "-" ? nil : $0 })
    }

    /// What is written once, from its beginning: a pipe will do.
    static func outputPath(_ name: String) -> ValueType {
        ValueType(
            name, expects: "the path of a file, or - for standard output", completion: .files,
            read: { $0.isEmpty ? nil : $0 })
    }

    /// What is read once, from its beginning: a pipe will do.
    static func inputPath(_ name: String) -> ValueType {
        ValueType(
            name, expects: "the path of a file, or - for standard input", completion: .files,
            read: { $0.isEmpty ? nil : $0 })
    }
}
