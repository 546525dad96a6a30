import VTXTask

/// Parses a command's arguments by its grammar.
///
/// Options may be anywhere among the other arguments; `--` ends them. A value follows its option as the next argument
/// or after `=`. A next argument that starts with `--` is an option, so that a missing value is detected.
struct ArgumentParser<Settings: CommandSettings> {
    private let grammar: Grammar<Settings>
    private let options: [Option<Settings>]
    private var remaining: ArraySlice<String>
    private var settings = Settings()
    private var given: Set<String> = []
    private var positionalsRead = 0

    /// Returns the settings; nil if help was requested.
    static func parse(_ arguments: [String], by grammar: Grammar<Settings>) throws(UsageError) -> Settings? {
        var parser = ArgumentParser(grammar, arguments)
        return try parser.run()
    }

    private init(_ grammar: Grammar<Settings>, _ arguments: [String]) {
        self.grammar = grammar
        options = grammar.options
        remaining = arguments[...]
    }

    private mutating func run() throws(UsageError) -> Settings? {
        while let argument = remaining.popFirst() {
            if argument == "--" {
                try readPositionals()
            } else if argument.hasPrefix("--") {
                try readLong(argument)
            } else if argument.hasPrefix("-"), argument != "-" {
                try readShorts(argument)
            } else {
                try readPositional(argument)
            }
            if given.contains("help") { return nil }
        }
        try checkWhatIsMissing()
        return settings
    }

    private mutating func readLong(_ argument: String) throws(UsageError) {
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = options.first(where: { $0.description.isCalled(name) }) else {
            let flags = options.map(\.description.flag)
            throw .unknownOption("--\(name)", nearest: Suggestion.nearest(to: "--\(name)", in: flags))
        }
        if option.description.value == nil {
            guard parts.count == 1 else { throw .unexpectedValue(option: "--\(name)") }
            try apply(option, "", as: "--\(name)")
        } else {
            let text = try parts.count == 2 ? String(parts[1]) : nextValue(of: option, as: "--\(name)")
            try apply(option, text, as: "--\(name)")
        }
    }

    /// Parses `-q`, several flags as `-yq`, and for an option with a value the rest of the argument or the next one.
    private mutating func readShorts(_ argument: String) throws(UsageError) {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.description.short == letter }) else {
                throw .unknownOption(argument.count == 2 ? argument : "-\(letter)", nearest: nil)
            }
            if option.description.value == nil {
                try apply(option, "", as: "-\(letter)")
            } else {
                let text = try letters.isEmpty ? nextValue(of: option, as: "-\(letter)") : String(letters)
                try apply(option, text, as: "-\(letter)")
                return
            }
        }
    }

    private mutating func nextValue(of option: Option<Settings>, as name: String) throws(UsageError) -> String {
        guard let next = remaining.first, !next.hasPrefix("--") else {
            throw .missingValue(option: name, expected: option.description.value?.expected ?? "a value")
        }
        remaining.removeFirst()
        return next
    }

    private mutating func apply(
        _ option: Option<Settings>, _ text: String, as name: String
    ) throws(UsageError) {
        guard option.apply(&settings, text) else {
            throw .badValue(text, for: name, option.description.value)
        }
        given.insert(option.description.long)
        guard let record = grammar.record else { return }
        settings[keyPath: record].append(option.description.flag + (option.description.value == nil ? "" : "=" + text))
    }

    private mutating func readPositionals() throws(UsageError) {
        while let argument = remaining.popFirst() { try readPositional(argument) }
    }

    private mutating func readPositional(_ argument: String) throws(UsageError) {
        guard positionalsRead < grammar.positionals.count else {
            guard let further = grammar.further else { throw .unexpectedArgument(argument) }
            return settings[keyPath: further].append(argument)
        }
        let positional = grammar.positionals[positionalsRead]
        guard positional.apply(&settings, argument) else {
            throw .badValue(argument, for: positional.description.name, positional.description.value)
        }
        positionalsRead += 1
    }

    private func checkWhatIsMissing() throws(UsageError) {
        try grammar.rules.check(given)
        for positional in grammar.positionals.dropFirst(positionalsRead)
        where positional.description.isRequired {
            throw .missingArgument(positional.description.name)
        }
    }
}
