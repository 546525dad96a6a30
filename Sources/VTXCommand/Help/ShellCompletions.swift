import VTXTask

/// A completion script for bash.
enum BashCompletions {
    static func text(for commands: [Command]) -> String {
        let names = commands.map(\.name).joined(separator: " ")
        let cases = commands.flatMap { valueCases(of: $0) + wordCases(of: $0, names) }
        return start(names) + cases.map { "        \($0) ;;\n" }.joined() + end
    }

    private static func start(_ names: String) -> String {
        """
        # bash completion for vtx, made by: vtx completions bash
        _vtx() {
            local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words
            # readline makes three words of --option=value.
            if [[ $current == = ]]; then
                current=
            elif [[ $previous == = ]]; then
                previous=${COMP_WORDS[COMP_CWORD-2]}
            fi
            case $COMP_CWORD:${COMP_WORDS[1]}:$previous:$current in
                1:*) words='\(names) --help --version' ;;

        """
    }

    private static let end = """
                *) compopt +o default; return ;;
            esac
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        }
        # Where nothing is offered, bash completes file names, unless compopt says no.
        complete -o default -F _vtx vtx

        """

    /// Completions after an option with a value.
    private static func valueCases(of command: Command) -> [String] {
        command.options.compactMap { option in
            guard let value = option.value else { return nil }
            return "*:\(command.name):\(option.flag):*) \(action(for: value.completion, nil))"
        }
    }

    /// Other completions: options after a dash, else the command's arguments.
    private static func wordCases(of command: Command, _ names: String) -> [String] {
        let flags = command.options.map(\.flag).joined(separator: " ")
        var cases = ["*:\(command.name):*:-*) words='\(flags)'"]
        if let positional = command.positionals.first {
            cases.append("*:\(command.name):*) \(action(for: positional.value.completion, names))")
        }
        return cases
    }

    private static func action(for completion: Completion, _ names: String?) -> String {
        switch completion {
        case .words(let words): "words='\(words.joined(separator: " "))'"
        case .commands: "words='\(names ?? "")'"
        case .files: "return"
        case .nothing: "compopt +o default; return"
        }
    }
}

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

    /// `-x` completes values from a list only, `-r -F` file names.
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

    /// In single quotes, fish recognizes `\\` and `\'`.
    private static func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "'"
    }
}

/// A completion script for zsh.
enum ZshCompletions {
    static func text(for commands: [Command]) -> String {
        let list = commands.map {
            "                \(quoted("\(colonEscaped($0.name)):\(colonEscaped($0.summary))"))\n"
        }
        return start + list.joined() + middle + commands.map { cases(of: $0, commands) }.joined() + end
    }

    private static let start = """
        #compdef vtx
        # zsh completion for vtx, made by: vtx completions zsh
        _vtx() {
            local curcontext=$curcontext state line
            local -A opt_args
            _arguments -C '(- *)'{-h,--help}'[show what vtx can do]' '(- *)--version[show the versions]' \\
                '1: :->command' '*:: :->arguments'
            case $state in
            command)
                local -a commands=(

        """

    private static let middle = """
                )
                _describe command commands
                ;;
            arguments)
                case $words[1] in

        """

    private static let end = """
                esac
                ;;
            esac
        }
        # Read from fpath this runs at once; from a startup file it only tells zsh about the function.
        if [[ ${funcstack[1]} == _vtx ]]; then
            _vtx "$@"
        else
            compdef _vtx vtx
        fi

        """

    private static func cases(of command: Command, _ commands: [Command]) -> String {
        let options = command.options.flatMap { specifications(of: $0, command.rules) }
        let positionals = command.positionals.map { positional in
            let colons = positional.isRequired ? ":" : "::"
            return "\(colons)\(positional.name):\(action(for: positional.value.completion, commands))"
        }
        let arguments = (options + positionals).map { " \\\n                    \(quoted($0))" }.joined()
        return "        \(command.name))\n            _arguments -s -S :\(arguments)\n            ;;\n"
    }

    /// `(--h264)--hevc[Encode HEVC.]`, for each of the option's names.
    private static func specifications(of option: OptionDescription, _ rules: OptionRules) -> [String] {
        let names = (option.short.map { ["-\($0)"] } ?? []) + [option.flag]
        let excluded = names + rules.rivals(of: option.long).map { "--\($0)" }
        var value = ""
        if let description = option.value {
            value = ":\(description.name):\(action(for: description.completion, []))"
        }
        return names.map { name in
            let assignment = option.value == nil ? "" : name.hasPrefix("--") ? "=" : "+"
            return
                "(\(excluded.joined(separator: " ")))\(name)\(assignment)[\(explanation(of: option))]\(value)"
        }
    }

    /// Returns the first sentence, because the list has one line per option.
    private static func explanation(of option: OptionDescription) -> String {
        let text = HelpPhrases.firstSentence(of: option.help)
        return text.map { "[]:\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    private static func action(for completion: Completion, _ commands: [Command]) -> String {
        switch completion {
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .commands: "(\(commands.map(\.name).joined(separator: " ")))"
        case .files: "_files"
        case .nothing: " "
        }
    }

    private static func colonEscaped(_ text: String) -> String {
        text.map { $0 == ":" ? "\\:" : "\($0)" }.joined()
    }

    private static func quoted(_ text: String) -> String { ShellQuoting.inSingleQuotes(text) }
}
