import VTXTask

/// A completion script for fish.
enum FishCompletions {
    static func text(for commands: [Command]) -> String {
        let start = ["# fish completion for vtx, made by: vtx completions fish", "complete -c vtx -f"]
        let general = [
            "complete -c vtx -n __fish_use_subcommand -s h -l help -d \(quoted("Show what vtx can do"))",
            "complete -c vtx -n __fish_use_subcommand -l version -d \(quoted("Show the versions"))",
        ]
        let names = commands.map {
            "complete -c vtx -n __fish_use_subcommand -a \($0.name) -d \(quoted(HelpText.sentence($0.summary)))"
        }
        let lines = start + general + names + commands.flatMap { specifications(of: $0, commands) }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func specifications(of command: Command, _ commands: [Command]) -> [String] {
        let prefix = "complete -c vtx -n '__fish_seen_subcommand_from \(command.name)'"
        let options = command.options.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let value = option.value.map { " " + expectation($0.completion, commands) } ?? ""
            let explanation = quoted(HelpPhrases.firstSentence(of: option.help))
            return "\(prefix)\(short) -l \(option.long)\(value) -d \(explanation)"
        }
        let positionals = command.positionals.prefix(1).compactMap { positional -> String? in
            switch positional.value.completion {
            case .nothing: nil
            case .files: "\(prefix) -F"
            case .words, .commands: "\(prefix) \(candidates(positional.value.completion, commands))"
            }
        }
        return options + positionals
    }

    /// `-x` is a value from the list only, `-r -F` a file's name.
    private static func expectation(_ completion: Completion, _ commands: [Command]) -> String {
        switch completion {
        case .files: "-r -F"
        case .nothing: "-x"
        case .words, .commands: "-x " + candidates(completion, commands)
        }
    }

    private static func candidates(_ completion: Completion, _ commands: [Command]) -> String {
        switch completion {
        case .words(let words): "-a '\(words.joined(separator: " "))'"
        case .commands: "-a '\(commands.map(\.name).joined(separator: " "))'"
        case .files, .nothing: ""
        }
    }

    /// Inside single quotes fish knows `\\` and `\'`.
    private static func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "'"
    }
}
