import VTXTask

/// Sentences that help, the manual page and the Markdown reference share.
enum HelpPhrases {
    static let tagline = "transcode video to HEVC and H.264"

    /// The help sentence, and what the table says beyond it.
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

    /// Up to the first full stop that ends a sentence, which is left out.
    static func firstSentence(of text: String) -> String {
        var sentence = ""
        for word in text.split(separator: " ") {
            sentence += sentence.isEmpty ? "\(word)" : " \(word)"
            if word.hasSuffix(".") { return String(sentence.dropLast()) }
        }
        return sentence
    }

    /// `One of a, b or c.`, where the help does not name them anyway.
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
    /// What the code means, for the manual.
    var meaning: String {
        switch self {
        case .success: "All went well."
        case .internalError: "A fault of vtx itself or of a library under it."
        case .usage: "The command line is wrong."
        case .input: "The input cannot be opened or read, or holds no video."
        case .unsupported: "The request cannot be met with this input, container or codec."
        case .hardware: "Hardware was required and cannot be used, or vtx probe found none that can."
        case .verification: "The output was written and then failed its check; it has been removed."
        case .output: "The output cannot be written, or its name is taken."
        case .journal: "An unfinished transcode of the output is of another source, other settings or other versions."
        case .fallback: "A GPU could not do its part, and --fail-on-fallback forbids software to do it."
        case .incompleteSource:
            "The source ended early or was damaged; the output is whole as far as the source goes."
        case .interrupted: "Interrupted (SIGINT)."
        case .terminated: "Terminated (SIGTERM or SIGHUP)."
        }
    }
}
