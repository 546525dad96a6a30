import FoundationEssentials
import Glibc
import VTXMedia
import VTXSystem
import VTXTask

package enum EntryPoint {
    /// The program `vtx`.
    package static func main() -> Never { main(Program.commands) }

    /// Runs the command that the process's arguments name.
    package static func main(_ commands: [Command]) -> Never {
        StandardDescriptors.prepare()
        let output = DescriptorSink(descriptor: STDOUT_FILENO)
        let console = Console(
            output: output, messages: DescriptorSink(descriptor: STDERR_FILENO),
            terminal: .of(STDERR_FILENO, environment: ProcessInfo.processInfo.environment))
        let exitCode = run(commands, on: console)
        exit(verified(exitCode, output, console).rawValue)
    }

    private static func run(_ commands: [Command], on console: Console) -> ExitCode {
        do throws(ProcessArguments.NotUTF8) {
            return Program.run(try ProcessArguments.read(), on: console, by: commands)
        } catch {
            let wantsJSON = Program.asksForJSON(CommandLine.arguments)
            return console.report(UsageError.notUTF8(error.repaired).asTranscodeError, asJSON: wantsJSON)
        }
    }

    /// A full disk under standard output is a failure, even when all else went well.
    private static func verified(_ exitCode: ExitCode, _ output: DescriptorSink, _ console: Console)
        -> ExitCode
    {
        guard exitCode == .success, let code = output.failure else { return exitCode }
        console.say(.error, "standard output cannot be written: \(String(cString: strerror(code)))")
        return .output
    }
}

/// Standard input, output and error, made safe to use.
enum StandardDescriptors {
    static func prepare() {
        // A reader that goes away makes writes fail; it must not end a transcode.
        signal(SIGPIPE, SIG_IGN)
        // A limit on file sizes makes writes fail likewise, and that has an exit code of its own.
        signal(SIGXFSZ, SIG_IGN)
        // Started with one of them closed (`>&-`), the next file opened would get its number, and messages
        // would go into the video.
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }
}

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
