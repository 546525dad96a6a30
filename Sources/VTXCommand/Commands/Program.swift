import Glibc
import VTXMedia
import VTXSystem
import VTXTask

package enum EntryPoint {
    /// The program `vtx`.
    package static func main() -> Never { main(Program.table) }

    /// Runs the command that the process's arguments name.
    package static func main(_ table: CommandTable) -> Never {
        StandardDescriptors.prepare()
        let output = DescriptorSink(descriptor: STDOUT_FILENO)
        let console = Console(
            output: output, messages: DescriptorSink(descriptor: STDERR_FILENO),
            terminal: .of(STDERR_FILENO) { name in getenv(name).map { String(cString: $0) } })
        let exitCode = run(table, on: console)
        exit(verified(exitCode, output, console).rawValue)
    }

    private static func run(_ table: CommandTable, on console: Console) -> ExitCode {
        do throws(ProcessArguments.NotUTF8) {
            return Program.run(try ProcessArguments.read(), on: console, by: table)
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

/// Commands by their names. Each is made when it is asked for: the options of all take longer than most commands do.
package struct CommandTable: Sendable {
    package typealias Entry = (name: String, make: @Sendable () -> Command)
    private let entries: [Entry]

    package init(_ entries: [Entry]) { self.entries = entries }

    var names: [String] { entries.map(\.name) }
    var all: [Command] { entries.map { $0.make() } }

    func command(named name: String) -> Command? { entries.first { $0.name == name }?.make() }
}

/// The program as a whole: its version, its commands, and the way from arguments to an exit code.
package enum Program {
    package static let version = "0.1.0"

    /// Help lists the commands in this order.
    static let table = CommandTable([
        ("transcode", { .transcode }), ("resume", { .resume }), ("clean", { .clean }), ("compare", { .compare }),
        ("nal", { .nal }), ("extract", { .extract }), ("mux", { .mux }), ("capture", { .capture }),
        ("devices", { .devices }), ("probe", { .probe }), ("doctor", { .doctor }),
        ("serve", { .serve(ServiceProgram.handOver) }), ("submit", { .submit(ServiceProgram.handOver) }),
        ("jobs", { .jobs(ServiceProgram.handOver) }), ("watch", { .watch(ServiceProgram.handOver) }),
        ("cancel", { .cancel(ServiceProgram.handOver) }), ("help", { .help }), ("version", { .version }),
        ("man", { .man }), ("completions", { .completions }),
    ])
    static var commands: [Command] { table.all }

    /// Runs one command line, without the program's name.
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

    /// Whether the last word on standard output must be a record; asked before anything is known to be valid.
    static func asksForJSON(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--json")
    }

    private static func start(
        _ first: String, _ rest: [String], on console: Console, by table: CommandTable
    ) throws(UsageError) -> ExitCode {
        guard let command = table.command(named: aliases[first] ?? first) else { throw unknown(first) }
        if let exitCode = try command.start(rest, console) { return exitCode }
        console.output.write(HelpText.page(for: command, width: console.helpWidth))
        return .success
    }

    /// What other programs, and earlier versions, have taught people to type.
    private static let aliases = ["--help": "help", "-h": "help", "--version": "version", "wrap": "mux"]

    private static func unknown(_ name: String) -> UsageError {
        let names = table.names + ["--help", "--version"]
        let nearest = Suggestion.nearest(to: name, in: names)
        return name.hasPrefix("-")
            ? .unknownOption(name, nearest: nearest) : .unknownCommand(name, nearest: nearest)
    }
}
