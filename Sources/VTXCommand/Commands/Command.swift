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
