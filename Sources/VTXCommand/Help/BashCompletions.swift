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

    /// What stands after an option with a value.
    private static func valueCases(of command: Command) -> [String] {
        command.options.compactMap { option in
            guard let value = option.value else { return nil }
            return "*:\(command.name):\(option.flag):*) \(action(for: value.completion, nil))"
        }
    }

    /// What stands elsewhere: options after a dash, else the command's arguments.
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
