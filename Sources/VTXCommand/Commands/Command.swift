import VTXTask

/// A command of vtx: its documentation and its implementation.
package struct Command: Sendable {
    let name: String
    /// A sentence without subject and full stop, for the list of commands.
    let summary: String
    /// The paragraphs of the command's help.
    let details: [String]
    let positionals: [PositionalDescription]
    let sections: [OptionSection]
    let rules: OptionRules
    let examples: [Example]
    /// Parses the arguments and runs the command; nil if help was requested instead.
    let start: @Sendable ([String], Console) throws(UsageError) -> ExitCode?

    /// An example command line.
    struct Example: Sendable, Hashable {
        let line: String
        let meaning: String

        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    /// Runs a command with its settings.
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

/// Commands by name, created on demand, because creating all options takes longer than most commands.
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

    /// Whether standard output must end with a record. Checked before the arguments are known to be valid.
    static func asksForJSON(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--json")
    }
}
