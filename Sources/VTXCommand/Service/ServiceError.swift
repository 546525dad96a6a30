import VTXJSON

/// Why a command of the service failed. A service has codes of its own, which the command passes on.
package struct ServiceError: Error, Sendable, Hashable {
    package var exitCode: ExitCode
    /// Stable, for programs: `service.unreachable`, `job.notFound`.
    package var code: String
    package var message: String
    package var hint: String?

    package init(_ exitCode: ExitCode, _ code: String, _ message: String, hint: String? = nil) {
        (self.exitCode, self.code, self.message, self.hint) = (exitCode, code, message, hint)
    }

    /// The result record of a command that ends with it.
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
