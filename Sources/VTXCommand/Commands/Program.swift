import VTXMedia
import VTXTask

/// The program as a whole: its version, its commands, and the way from arguments to an exit code.
package enum Program {
    package static let version = "0.1.0"

    /// Help lists the commands in this order.
    static let commands: [Command] = [
        .transcode, .resume, .clean, .nal, .extract, .mux, .probe, .doctor, .serve(ServiceProgram.handOver),
        .submit(ServiceProgram.handOver), .jobs(ServiceProgram.handOver), .watch(ServiceProgram.handOver),
        .cancel(ServiceProgram.handOver), .help, .version, .man, .completions,
    ]

    /// Runs one command line, without the program's name.
    static func run(_ arguments: [String], on console: Console, by commands: [Command] = commands) -> ExitCode {
        let wantsJSON = asksForJSON(arguments)
        guard let first = arguments.first else {
            console.messages.write(HelpText.overview(of: commands, width: console.helpWidth))
            return .usage
        }
        do {
            return try start(first, Array(arguments.dropFirst()), on: console, by: commands)
        } catch {
            var failure = error.asTranscodeError
            let help = "see vtx help \(command(named: first)?.name ?? "")".trimmingTrailingSpace
            failure.hint = failure.hint ?? Message(help)
            return console.report(failure, asJSON: wantsJSON)
        }
    }

    static func command(named name: String) -> Command? {
        let name = aliases[name] ?? name
        return commands.first { $0.name == name }
    }

    /// Whether the last word on standard output must be a record; asked before anything is known to be valid.
    static func asksForJSON(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--json")
    }

    private static func start(
        _ first: String, _ rest: [String], on console: Console, by commands: [Command]
    ) throws(UsageError) -> ExitCode {
        let name = aliases[first] ?? first
        guard let command = commands.first(where: { $0.name == name }) else { throw unknown(first) }
        if let exitCode = try command.start(rest, console) { return exitCode }
        console.output.write(HelpText.page(for: command, width: console.helpWidth))
        return .success
    }

    /// What other programs, and earlier versions, have taught people to type.
    private static let aliases = ["--help": "help", "-h": "help", "--version": "version", "wrap": "mux"]

    private static func unknown(_ name: String) -> UsageError {
        let names = commands.map(\.name) + ["--help", "--version"]
        let nearest = Suggestion.nearest(to: name, in: names)
        return name.hasPrefix("-")
            ? .unknownOption(name, nearest: nearest) : .unknownCommand(name, nearest: nearest)
    }
}
