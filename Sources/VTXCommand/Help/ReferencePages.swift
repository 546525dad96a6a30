import VTXTask

/// Formats vtx(1) with roff's man macros.
enum ManPage {
    static func text(version: String, commands: [Command]) -> String {
        var page = [".TH VTX 1 \"\" \"vtx \(version)\" \"User Commands\"", ".SH NAME"]
        page += ["vtx \\- \(HelpPhrases.tagline)", ".SH SYNOPSIS"]
        page += [".B vtx", ".I COMMAND", "[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]..."]
        page += [".SH DESCRIPTION"] + paragraphs(ManualText.description) + [".SH COMMANDS"]
        page += commands.flatMap { tagged(bold("vtx \($0.name)"), HelpText.sentence($0.summary)) }
        page += commands.flatMap(chapter)
        page += [".SH OUTPUT"] + paragraphs(ManualText.output)
        page += [".SH SIGNALS"] + paragraphs(ManualText.signals)
        page += [".SH EXIT STATUS"]
        page += ExitCode.allCases.flatMap { tagged(bold("\($0.rawValue)"), $0.meaning) }
        page += [".SH ENVIRONMENT"]
        page += ManualText.environment.flatMap { tagged(bold($0.name), $0.meaning) }
        page += [".SH EXAMPLES"]
        page += commands.flatMap(\.examples).flatMap { tagged(bold($0.line), $0.meaning) }
        page += [".SH SEE ALSO", ".BR ffmpeg (1)"]
        return page.map { $0 + "\n" }.joined()
    }

    private static func chapter(_ command: Command) -> [String] {
        var lines = [".SH \"VTX \(command.name.uppercased())\"", ".nf", bold(command.synopsis), ".fi"]
        lines += paragraphs(command.details)
        lines += command.positionals.flatMap { tagged("\\fI\(escaped($0.name))\\fR", $0.help) }
        for section in command.sections {
            lines.append(".SS \"\(escaped(section.title))\"")
            for option in section.options {
                lines += tagged(heading(of: option), HelpPhrases.sentences(for: option, rules: command.rules))
            }
        }
        return lines
    }

    private static func heading(of option: OptionDescription) -> String {
        let short = option.short.map { bold("-\($0)") + ", " } ?? ""
        let value = option.value.map { " \\fI\(escaped($0.name))\\fR" } ?? ""
        return short + bold(option.flag) + value
    }

    private static func tagged(_ heading: String, _ text: String) -> [String] {
        [".TP", heading, escaped(text)]
    }

    private static func paragraphs(_ texts: [String]) -> [String] { texts.flatMap { [".PP", escaped($0)] } }

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    /// Escapes text for roff: a bare hyphen may become a dash that shells do not understand, and a dot or quote at the
    /// start of a line is a command.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "~": result += "\\(ti"
            case "^": result += "\\(ha"
            case "`": result += "\\(ga"
            case "'": result += "\\(aq"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") ? "\\&" + result : result
    }
}

/// The sections of the manual page that are not generated.
enum ManualText {
    static let description = [
        "vtx converts video files to HEVC, H.264 and AV1, and keeps everything else in them. It chooses settings by "
            + "the file, reports its decisions with their reasons, and verifies the output."
    ]

    static let output = [
        "Standard output has only data: plans, records, help. Messages for users go to standard error, with a "
            + "progress bar if it is a terminal.",
        "With --json, standard output has one JSON object per line. Each has a type, such as plan, notice, progress, "
            + "stream, nalUnit, version, device, probe, step or result. The last one is always the result, even after "
            + "errors and signals; its status is "
            + "completed, incompleteSource, skipped, failed or cancelled, and its exitCode is that of the command. "
            + "Of several inputs each has a result, and a summary is the last one. "
            + "Readers should ignore unknown keys and types.",
    ]

    static let signals = [
        "SIGINT, SIGTERM and SIGHUP stop the work and remove the unfinished output. A second one ends the process "
            + "at once; the next run replaces its partial files."
    ]

    static let environment: [(name: String, meaning: String)] = [
        ("NO_COLOR", "If set, disables colors."),
        ("VTX_GPU_TIMEOUT", "Timeout in seconds for an inactive GPU driver; 0 disables it."),
        ("TERM", "If unset or dumb, disables colors and the progress bar."),
    ]
}

/// Formats a command's options as Markdown, for the documentation.
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

    /// Escapes bars, which separate cells.
    private static func row(_ cells: String...) -> String {
        let escaped = cells.map { cell in
            cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
        }
        return "| " + escaped.joined(separator: " | ") + " |"
    }
}
