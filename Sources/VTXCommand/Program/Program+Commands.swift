import VTXMedia
import VTXTask

/// Dispatches arguments to commands, and returns the exit code.
extension Program {
    /// In the order of help.
    static let table = CommandTable([
        ("transcode", { .transcode }), ("resume", { .resume }), ("clean", { .clean }), ("compare", { .compare }),
        ("thumbnail", { .thumbnail }),
        ("import-preset", { .importPreset }), ("nal", { .nal }), ("extract", { .extract }), ("mux", { .mux }),
        ("capture", { .capture }),
        ("serve-hls", { .serveHLS(ServiceProgram.handOver) }), ("devices", { .devices }), ("probe", { .probe }),
        ("doctor", { .doctor }),
        ("serve", { .serve(ServiceProgram.handOver) }), ("worker", { .worker(ServiceProgram.handOver) }),
        ("submit", { .submit(ServiceProgram.handOver) }),
        ("jobs", { .jobs(ServiceProgram.handOver) }), ("watch", { .watch(ServiceProgram.handOver) }),
        ("pause", { .pause(ServiceProgram.handOver) }), ("unpause", { .unpause(ServiceProgram.handOver) }),
        ("cancel", { .cancel(ServiceProgram.handOver) }), ("retry", { .retry(ServiceProgram.handOver) }),
        ("download", { .download(ServiceProgram.handOver) }), ("help", { .help }), ("version", { .version }),
        ("man", { .man }), ("completions", { .completions }),
    ])
    static var commands: [Command] { table.all }

    /// Runs a command line, given without the program's name.
    static func run(_ arguments: [String], on console: Console, by table: CommandTable = table) -> ExitCode {
        let wantsJSON = asksForJSON(arguments)
        guard let first = arguments.first else {
            console.messages.write(HelpText.overview(of: commands, width: console.helpWidth))
            return .usage
        }
        do {
            return try start(first, Array(arguments.dropFirst()), on: console, by: table)
        } catch {
            var failure = error.asTranscodeError
            let help = "see vtx help \(command(named: first)?.name ?? "")".trimmingTrailingSpace
            failure.hint = failure.hint ?? Message(help)
            return console.report(failure, asJSON: wantsJSON)
        }
    }

    static func command(named name: String) -> Command? {
        table.command(named: aliases[name] ?? name)
    }

    private static func start(
        _ first: String, _ rest: [String], on console: Console, by table: CommandTable
    ) throws(UsageError) -> ExitCode {
        guard let command = table.command(named: aliases[first] ?? first) else { throw unknown(first) }
        if let exitCode = try command.start(rest, console) { return exitCode }
        console.output.write(HelpText.page(for: command, width: console.helpWidth))
        return .success
    }

    /// Spellings of other programs and earlier versions.
    private static let aliases = ["--help": "help", "-h": "help", "--version": "version", "wrap": "mux"]

    private static func unknown(_ name: String) -> UsageError {
        let names = table.names + ["--help", "--version"]
        let nearest = Suggestion.nearest(to: name, in: names)
        return name.hasPrefix("-")
            ? .unknownOption(name, nearest: nearest) : .unknownCommand(name, nearest: nearest)
    }
}
