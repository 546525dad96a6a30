import VTXTask

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

    /// `(--h264)--hevc[Encode HEVC.]`, once for each of the option's names.
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

    /// The first sentence: the list has a line for each option.
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
