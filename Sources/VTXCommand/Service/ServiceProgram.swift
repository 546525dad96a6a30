import VTXMedia
import VTXSystem
import VTXTask

/// `vtx-service`, which does the commands of the service: what it is linked with takes longer to load than all else here.
enum ServiceProgram {
    /// Makes this process that program, with the same arguments.
    @Sendable static func handOver<Settings>(_ settings: Settings, _ console: Console) -> ExitCode {
        let error = TranscodeError(.workerStart, "vtx cannot start vtx-service: \(replaceThisProcess())")
        return console.report(error, asJSON: Program.asksForJSON(CommandLine.arguments))
    }

    /// - Returns: why it cannot be.
    private static func replaceThisProcess() -> SystemError {
        do throws(SystemError) {
            return try Launch.installed("vtx-service", with: CommandLine.arguments).replaceProcess()
        } catch { return error }
    }
}
