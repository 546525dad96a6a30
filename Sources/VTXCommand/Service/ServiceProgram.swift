import VTXJSON
import VTXMedia
import VTXSystem
import VTXTask

/// `vtx-service`, which implements the commands of the service, because its libraries take longer to load than
/// everything else here.
enum ServiceProgram {
    /// Replaces this process with that program, with the same arguments.
    @Sendable static func handOver<Settings>(_ settings: Settings, _ console: Console) -> ExitCode {
        let error = TranscodeError(.workerStart, "vtx cannot start vtx-service: \(replaceThisProcess())")
        return console.report(error, asJSON: Program.asksForJSON(CommandLine.arguments))
    }

    /// - Returns: why that failed.
    private static func replaceThisProcess() -> SystemError {
        do throws(SystemError) {
            return try Launch.installed("vtx-service", with: CommandLine.arguments).replaceProcess()
        } catch { return error }
    }
}

/// Why a command of the service failed. The service's codes are passed on.
package struct ServiceError: Error, Sendable, Hashable {
    package var exitCode: ExitCode
    /// Stable, for programs: `service.unreachable`, `job.notFound`.
    package var code: String
    package var message: String
    package var hint: String?

    package init(_ exitCode: ExitCode, _ code: String, _ message: String, hint: String? = nil) {
        (self.exitCode, self.code, self.message, self.hint) = (exitCode, code, message, hint)
    }

    /// The result record of the error.
    var line: String {
        var error: [String: JSONValue] = ["code": .string(code), "message": .string(message)]
        if let hint { error["hint"] = .string(hint) }
        let status = exitCode == .interrupted ? "cancelled" : "failed"
        let record: JSONValue = [
            "type": "result", "status": .string(status), "exitCode": .integer(Int64(exitCode.rawValue)),
            "error": .object(error), "notices": [],
        ]
        return record.text + "\n"
    }
}

extension Console {
    package func report(_ error: ServiceError, asJSON: Bool) -> ExitCode {
        say(.error, error.message)
        if let hint = error.hint { say(.hint, hint) }
        if asJSON { output.write(error.line) }
        return error.exitCode
    }
}
