import VTXTask

/// Formats help for terminals.
enum HelpText {
    private static let helpColumn = 26

    /// Describes vtx and lists its commands.
    static func overview(of commands: [Command], width: Int) -> String {
        let nameWidth = (commands.map(\.name.count).max() ?? 0) + 2
        let rows = commands.flatMap { entry($0.name, $0.summary, column: nameWidth + 2, width: width) }
        let usage = ["Usage: vtx COMMAND [OPTION]... [ARGUMENT]...", "", "vtx: \(HelpPhrases.tagline)", ""]
        let more = ["", "'vtx help COMMAND' explains a command; 'vtx man | man -l -' is the manual."]
        return lines(usage + ["Commands"] + rows + more)
    }

    /// Describes one command.
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

    /// Turns a summary into a sentence: `Convert a video file.`
    static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    private static func entry(for option: OptionDescription, of command: Command, width: Int) -> [String] {
        // Long names are aligned, whether or not a short name precedes them.
        let heading = (option.short == nil ? "    " : "") + HelpPhrases.heading(of: option)
        let text = HelpPhrases.sentences(for: option, rules: command.rules)
        return entry(heading, text, column: helpColumn, width: width)
    }

    /// A heading and its text, side by side if the heading is short enough.
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

/// Sentences shared by help, the manual page and the Markdown reference.
enum HelpPhrases {
    static let tagline = "transcode video to HEVC, H.264 and AV1"

    /// The help text, and information from the table.
    static func sentences(for option: OptionDescription, rules: OptionRules) -> String {
        var sentences = [option.help]
        if let values = choices(of: option) { sentences.append(values) }
        if let text = option.defaultText { sentences.append("Default: \(text).") }
        let rivals = rules.rivals(of: option.long).map { "--\($0)" }
        if !rivals.isEmpty { sentences.append("Not with \(alternatives(rivals)).") }
        for requirement in rules.requirements where requirement.option == option.long {
            sentences.append("Needs --\(requirement.needs).")
        }
        return sentences.joined(separator: " ")
    }

    /// Returns the text up to the full stop of the first sentence.
    static func firstSentence(of text: String) -> String {
        var sentence = ""
        for word in text.split(separator: " ") {
            sentence += sentence.isEmpty ? "\(word)" : " \(word)"
            if word.hasSuffix(".") { return String(sentence.dropLast()) }
        }
        return sentence
    }

    /// `One of a, b or c.`, unless the help already lists them.
    private static func choices(of option: OptionDescription) -> String? {
        guard let value = option.value, case .words(let words) = value.completion else { return nil }
        return words.allSatisfy(option.help.contains) ? nil : "One of \(alternatives(words))."
    }

    /// `-q, --quiet` or `--preset PRESET`.
    static func heading(of option: OptionDescription) -> String {
        let short = option.short.map { "-\($0), " } ?? ""
        return short + option.flag + (option.value.map { " \($0.name)" } ?? "")
    }
}

extension ExitCode {
    /// The meaning of the code, for the manual.
    var meaning: String {
        switch self {
        case .success: "Success."
        case .internalError: "A bug in vtx or in a library that it uses."
        case .usage: "The command line is wrong."
        case .input: "The input cannot be opened or read, or has no video."
        case .unsupported: "The request cannot be fulfilled with this input, container or codec."
        case .hardware: "Hardware is required but cannot be used, or vtx probe found none that can."
        case .verification: "The output failed verification."
        case .size: "The output is, or would be, larger than --max-size-ratio allows, and was removed."
        case .output: "The output cannot be written, or already exists."
        case .journal: "The journal of an unfinished transcode has a different source, settings or versions."
        case .fallback: "Software would have to replace a GPU, which --fail-on-fallback forbids."
        case .incompleteSource:
            "The source is truncated or damaged; the output contains everything that could be read."
        case .capture:
            "A camera or live input was lost or stopped delivering frames; the output is complete up to that point."
        case .interrupted: "Interrupted (SIGINT)."
        case .terminated: "Terminated (SIGTERM or SIGHUP)."
        }
    }
}
