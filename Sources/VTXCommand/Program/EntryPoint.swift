import Glibc
import VTXMedia
import VTXSystem
import VTXTask

package enum EntryPoint {
    /// The program `vtx`.
    package static func main() -> Never { main(Program.table) }

    /// Runs the command in the process's arguments.
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

    /// A full disk at standard output is a failure, even after success.
    private static func verified(_ exitCode: ExitCode, _ output: DescriptorSink, _ console: Console)
        -> ExitCode
    {
        guard exitCode == .success, let code = output.failure else { return exitCode }
        console.say(.error, "standard output cannot be written: \(String(cString: strerror(code)))")
        return .output
    }
}

/// Makes standard input, output and error safe to use.
enum StandardDescriptors {
    static func prepare() {
        // A reader that closes the pipe makes writes fail, but must not end a transcode.
        signal(SIGPIPE, SIG_IGN)
        Signals.hearOfChildren()
        // A limit on file sizes also makes writes fail, which has its own exit code.
        signal(SIGXFSZ, SIG_IGN)
        // If one of them was closed (`>&-`), the next opened file would get its number, and messages would go into the
        // video.
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }
}
