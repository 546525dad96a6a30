import VTXTask

struct HelpSettings: CommandSettings {
    var command: String?
    var printsMarkdown = false

    init() {}
}

extension Command {
    static let help = Command(
        "help", "show what vtx or one of its commands can do",
        grammar: Grammar<HelpSettings>(
            positionals: [
                .optional(
                    .commandName, into: \.command,
                    "The command to explain; errors and notices list the codes for programs, settings and schema "
                        + "(JSON Schema) the options in JSON, receipt (JSON Schema) the output of --receipt.")
            ],
            groups: [
                OptionGroup(
                    "Options",
                    [
                        .flag(
                            "markdown", sets: \.printsMarkdown, to: true,
                            "Print a reference of the options in Markdown.")
                    ])
            ]),
        examples: [Example("vtx help transcode", "Every option of vtx transcode")],
        run: { settings, console throws(UsageError) in
            console.output.write(try text(for: settings, width: console.helpWidth))
            return .success
        })

    private static func text(for settings: HelpSettings, width: Int) throws(UsageError) -> String {
        guard let name = settings.command else {
            if settings.printsMarkdown {
                return Program.commands.map(MarkdownReference.text).joined(separator: "\n")
            }
            return HelpText.overview(of: Program.commands, width: width)
        }
        if let topic = HelpTopic(rawValue: name) {
            return settings.printsMarkdown ? topic.markdown : topic.text(width: width)
        }
        guard let command = Program.command(named: name) else {
            throw .unknownCommand(
                name, nearest: Suggestion.nearest(to: name, in: Program.table.names))
        }
        return settings.printsMarkdown
            ? MarkdownReference.text(for: command) : HelpText.page(for: command, width: width)
    }
}

extension ValueType where Value == String {
    /// Checked against the list of commands at run time, because the list contains this command.
    fileprivate static var commandName: ValueType {
        ValueType(
            "COMMAND", expects: "the name of a command", completion: .commands,
            read: { $0.isEmpty ? nil : $0 })
    }
}

/// The settings of `vtx man`, which has none.
struct ManSettings: CommandSettings {
    init() {}
}

extension Command {
    static let man = Command(
        "man", "print the manual page",
        grammar: Grammar<ManSettings>(),
        examples: [
            Example("vtx man | man -l -", "Read it"),
            Example("vtx man > /usr/local/share/man/man1/vtx.1", "Install it"),
        ],
        run: { _, console throws(UsageError) in
            console.output.write(ManPage.text(version: Program.version, commands: Program.commands))
            return .success
        })
}

struct CompletionsSettings: CommandSettings {
    var shell = Shell.bash

    init() {}
}

/// The shells with completions.
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
        "completions", "print a shell completion script",
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
