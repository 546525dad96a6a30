import VTXTask

/// A command of vtx: what people are told about it, and what it does.
package struct Command: Sendable {
    let name: String
    /// Half a sentence, for the list of commands.
    let summary: String
    /// Paragraphs for the command's own help.
    let details: [String]
    let positionals: [PositionalDescription]
    let sections: [OptionSection]
    let rules: OptionRules
    let examples: [Example]
    /// Reads the arguments and does the work; nil when help was asked for instead.
    let start: @Sendable ([String], Console) throws(UsageError) -> ExitCode?

    /// A command line worth showing.
    struct Example: Sendable, Hashable {
        let line: String
        let meaning: String

        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    /// Does what a command was told.
    package typealias Run<Settings> = @Sendable (Settings, Console) throws(UsageError) -> ExitCode

    init<Settings>(
        _ name: String, _ summary: String, details: [String] = [], grammar: Grammar<Settings>,
        examples: [Example] = [],
        run: @escaping Run<Settings>
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.examples = examples
        positionals = grammar.positionals.map(\.description)
        sections = grammar.sections
        rules = grammar.rules
        start = { arguments, console throws(UsageError) in
            guard let settings = try ArgumentParser.parse(arguments, by: grammar) else { return nil }
            return try run(settings, console)
        }
    }

    var options: [OptionDescription] { sections.flatMap(\.options) }

    /// `vtx transcode [OPTION]... INPUT [OUTPUT]`.
    var synopsis: String {
        (["vtx", name, "[OPTION]..."] + positionals.map(\.synopsis)).joined(separator: " ")
    }
}

/// Commands by their names. Each is made when it is asked for: the options of all take longer than most commands do.
package struct CommandTable: Sendable {
    package typealias Entry = (name: String, make: @Sendable () -> Command)
    private let entries: [Entry]

    package init(_ entries: [Entry]) { self.entries = entries }

    var names: [String] { entries.map(\.name) }
    var all: [Command] { entries.map { $0.make() } }

    func command(named name: String) -> Command? { entries.first { $0.name == name }?.make() }
}

/// The program as a whole.
package enum Program {
    package static let version = "0.1.0"

    /// Whether the last word on standard output must be a record; asked before anything is known to be valid.
    static func asksForJSON(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--json")
    }
}
