import Glibc
import VTXMedia
package import VTXSystem
package import VTXTask

/// How a task ends whose worker died, where nothing else is left to try.
extension TranscodeError {
    /// Required hardware forbids the second run.
    static func required(_ failure: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(failure.description), and \(option: .hardware, "require") forbids software",
            hint: "\(option: .hardware, "auto") falls back to software when a driver fails"
        ).on(failure.device)
    }

    /// What was being recorded is over.
    static func ended(by failure: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(failure.description), and ended the recording; what was recorded is in the output",
            hint: "\(option: .hardware, "off") leaves the GPU alone"
        ).on(failure.device)
    }

    /// What went through a pipe does not come again.
    static func endedPipe(_ failure: DriverFailure) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(failure.description), and what went through a pipe does not come again",
            hint: "the next command leaves that GPU alone for a while; \(option: .hardware, "off") leaves all alone"
        ).on(failure.device)
    }

    static func forbiddenFallback(_ failure: DriverFailure) -> TranscodeError {
        forbiddenFallback(failure.description).on(failure.device)
    }

    /// The GPU was to be left alone.
    static func repeated(_ failure: DriverFailure) -> TranscodeError {
        TranscodeError(.workerCrashed, "\(failure.description), and did so before").on(failure.device)
    }

    /// A worker in which no driver was at work, or that was killed.
    /// - Parameter failure: what an earlier one died of.
    package static func worker(_ ending: ProcessEnding, after failure: DriverFailure?) -> TranscodeError {
        if case .killed = ending, !ending.isCrash {
            return TranscodeError(.workerKilled, "vtx \(ending.words), by another process or because memory ran out")
        }
        let whose = failure.map { "without a GPU, after \($0.description)" } ?? "and no GPU took part in that"
        return TranscodeError(.workerCrashed, "vtx or a library in it \(ending.words), \(whose)")
    }

    private func on(_ device: DeviceID?) -> TranscodeError {
        var error = self
        error.device = device
        return error
    }
}
