import VTXMedia
package import VTXSystem
package import VTXTask

/// How a task ends whose worker died, where nothing else is left to try.
extension TranscodeError {
    package static func stopped(_ reason: Cancellation.Reason) -> TranscodeError {
        .cancelled(reason, reason == .interrupted ? "interrupted" : "terminated")
    }

    /// Required hardware forbids the second run.
    static func required(_ fault: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(fault.description), and \(option: .hardware, "require") forbids software",
            hint: "\(option: .hardware, "auto") goes on in software where a driver fails"
        ).on(fault.device)
    }

    static func forbiddenFallback(_ fault: DriverFailure) -> TranscodeError {
        forbiddenFallback(fault.description).on(fault.device)
    }

    /// The GPU was to be left alone.
    static func repeated(_ fault: DriverFailure) -> TranscodeError {
        TranscodeError(.workerCrashed, "\(fault.description), and did so before").on(fault.device)
    }

    /// A worker in which no driver was at work, or that was killed.
    /// - Parameter fault: what an earlier one died of.
    package static func worker(_ ending: ProcessEnding, after fault: DriverFailure?) -> TranscodeError {
        if case .killed = ending, !ending.isCrash {
            return TranscodeError(.workerKilled, "vtx \(ending.words), by another process or because memory ran out")
        }
        let whose = fault.map { "without a GPU, after \($0.description)" } ?? "and no GPU took part in that"
        return TranscodeError(.workerCrashed, "vtx or a library in it \(ending.words), \(whose)")
    }

    private func on(_ device: DeviceID?) -> TranscodeError {
        var error = self
        error.device = device
        return error
    }
}
