import FoundationEssentials
import Glibc
import VTXTask
import VTXTranscode

@main
enum EntryPoint {
    static func main() {
        StandardDescriptors.prepare()
        let output = DescriptorSink(descriptor: STDOUT_FILENO)
        let console = Console(
            output: output, messages: DescriptorSink(descriptor: STDERR_FILENO),
            terminal: .behind(STDERR_FILENO, environment: ProcessInfo.processInfo.environment))
        let exitCode = run(on: console)
        exit(verified(exitCode, output, console).rawValue)
    }

    private static func run(on console: Console) -> ExitCode {
        do {
            let arguments = try Arguments.read(CommandLine.argc, CommandLine.unsafeArgv)
            return Program.run(arguments, on: console)
        } catch {
            let wantsJSON = Program.asksForJSON(CommandLine.arguments)
            return console.report(error.asTranscodeError, asJSON: wantsJSON)
        }
    }

    /// A full disk behind standard output is a failure, even when all else went well.
    private static func verified(_ exitCode: ExitCode, _ output: DescriptorSink, _ console: Console)
        -> ExitCode
    {
        guard exitCode == .success, let code = output.failure else { return exitCode }
        console.say(.error, "standard output cannot be written: \(String(cString: strerror(code)))")
        return .output
    }
}
