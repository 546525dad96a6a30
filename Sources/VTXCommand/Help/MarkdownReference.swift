/// A command's options as Markdown, for the documentation.
enum MarkdownReference {
    static func text(for command: Command) -> String {
        var blocks = ["## vtx \(command.name)", HelpText.sentence(command.summary)]
        blocks += ["```\n\(command.synopsis)\n```"] + command.details
        if !command.positionals.isEmpty {
            let rows = command.positionals.map { row("`\($0.name)`", $0.help) }
            blocks.append(table("Argument", rows))
        }
        for section in command.sections {
            let rows = section.options.map {
                row("`\(HelpPhrases.heading(of: $0))`", HelpPhrases.sentences(for: $0, rules: command.rules))
            }
            blocks += ["### \(section.title)", table("Option", rows)]
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private static func table(_ title: String, _ rows: [String]) -> String {
        (["| \(title) | Meaning |", "| --- | --- |"] + rows).joined(separator: "\n")
    }

    /// A bar inside a cell would start the next one.
    private static func row(_ cells: String...) -> String {
        let escaped = cells.map { cell in
            cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
        }
        return "| " + escaped.joined(separator: " | ") + " |"
    }
}
