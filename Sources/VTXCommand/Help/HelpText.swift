import VTXTask

/// Help as a terminal shows it.
enum HelpText {
    private static let helpColumn = 26

    /// What vtx is and which commands it has.
    static func overview(of commands: [Command], width: Int) -> String {
        let nameWidth = (commands.map(\.name.count).max() ?? 0) + 2
        let rows = commands.flatMap { entry($0.name, $0.summary, column: nameWidth + 2, width: width) }
        let usage = ["Usage: vtx COMMAND [OPTION]... [ARGUMENT]...", "", "vtx: \(HelpPhrases.tagline)", ""]
        let more = ["", "'vtx help COMMAND' explains a command; 'vtx man | man -l -' is the manual."]
        return lines(usage + ["Commands"] + rows + more)
    }

    /// Everything about one command.
    static func page(for command: Command, width: Int) -> String {
        var page = ["Usage: \(command.synopsis)", ""]
        page += (sentence(command.summary)).wrapped(to: width)
        for paragraph in command.details { page += [""] + paragraph.wrapped(to: width) }
        if !command.positionals.isEmpty {
            page += ["", "Arguments"]
            page += command.positionals.flatMap { entry($0.name, $0.help, column: helpColumn, width: width) }
        }
        for section in command.sections {
            page += ["", section.title]
            page += section.options.flatMap { entry(for: $0, of: command, width: width) }
        }
        if !command.examples.isEmpty {
            page += ["", "Examples"]
            page += command.examples.flatMap { ["  \($0.line)", "      \($0.meaning)"] }
        }
        return lines(page)
    }

    /// `Convert a video file.` from half a sentence.
    static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    private static func entry(for option: OptionDescription, of command: Command, width: Int) -> [String] {
        // Long names stand in one column, with or without a short name before them.
        let heading = (option.short == nil ? "    " : "") + HelpPhrases.heading(of: option)
        let text = HelpPhrases.sentences(for: option, rules: command.rules)
        return entry(heading, text, column: helpColumn, width: width)
    }

    /// A heading and its text, side by side where the heading is short enough.
    private static func entry(_ heading: String, _ text: String, column: Int, width: Int) -> [String] {
        let margin = String(repeating: " ", count: column)
        var rows = text.wrapped(to: max(20, width - column)).map { margin + $0 }
        let first = "  " + heading
        if first.count + 2 <= column, !rows.isEmpty {
            rows[0] = first + rows[0].dropFirst(first.count)
        } else {
            rows.insert(first, at: 0)
        }
        return rows
    }

    private static func lines(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
}
