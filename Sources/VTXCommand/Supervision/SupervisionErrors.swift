import VTXMedia
import VTXTask
import VTXTranscode

/// How a command ends whose worker died, where nothing else is left to try.
extension TranscodeError {
    /// `--hw require` forbids the second run.
    static func required(_ fault: HardwareFault) -> TranscodeError {
        TranscodeError(
            .hardwareFault, "\(fault.description), and \(option: .hardware, "require") forbids software",
            hint: "\(option: .hardware, "auto") goes on in software where a driver fails")
    }

    /// The GPU was to be left alone.
    static func repeated(_ fault: HardwareFault) -> TranscodeError {
        TranscodeError(.workerCrashed, "\(fault.description), and did so before")
    }

    /// A worker in which no driver was at work, or that was killed.
    /// - Parameter fault: what an earlier one died of.
    static func worker(_ ending: ProcessEnding, after fault: HardwareFault?) -> TranscodeError {
        switch ending {
        case .killed(let signal) where StopSignal(rawValue: signal) != nil:
            StopSignal(rawValue: signal)?.error ?? .crashed(ending, after: fault)
        case .killed where !ending.isCrash:
            TranscodeError(
                .workerKilled, "vtx \(ending.words), by another process or because memory ran out")
        default: .crashed(ending, after: fault)
        }
    }

    private static func crashed(_ ending: ProcessEnding, after fault: HardwareFault?) -> TranscodeError {
        TranscodeError(
            .workerCrashed,
            "vtx or a library in it \(ending.words), "
                + (fault.map { "without a GPU, after \($0.description)" } ?? "and no GPU took part in that"))
    }
}
