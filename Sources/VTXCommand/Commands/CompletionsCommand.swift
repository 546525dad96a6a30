import VTXTask

/// What `vtx completions` was told.
struct CompletionsSettings: CommandSettings {
    var shell = Shell.bash

    init() {}
}

/// The shells that vtx can teach its options to.
enum Shell: String, Sendable, CaseIterable {
    case bash
    case zsh
    case fish

    func completions(for commands: [Command]) -> String {
        switch self {
        case .bash: BashCompletions.text(for: commands)
        case .zsh: ZshCompletions.text(for: commands)
        case .fish: FishCompletions.text(for: commands)
        }
    }
}

extension Command {
    static let completions = Command(
        "completions", "print a script that makes a shell complete vtx's command lines",
        grammar: Grammar<CompletionsSettings>(
            positionals: [.required(.choice("SHELL"), into: \.shell, "The shell: bash, zsh or fish.")]),
        examples: [
            Example("source <(vtx completions bash)", "For this bash; put it into ~/.bashrc for all"),
            Example("vtx completions zsh > ~/.zfunc/_vtx", "For zsh, with ~/.zfunc in fpath"),
            Example("vtx completions fish > ~/.config/fish/completions/vtx.fish", "For fish"),
        ],
        run: { settings, console throws(UsageError) in
            console.output.write(settings.shell.completions(for: Program.commands))
            return .success
        })
}
