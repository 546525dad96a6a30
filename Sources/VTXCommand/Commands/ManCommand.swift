import VTXTask

/// `vtx man` has nothing to be told.
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
