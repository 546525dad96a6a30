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
        ParentProcess.follow()
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
