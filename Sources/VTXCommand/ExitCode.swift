import VTXTask

/// How the command ends; stable, and documented in `docs/use.md`.
package enum ExitCode: Int32, Sendable, Hashable, CaseIterable {
    case success = 0
    /// A fault of vtx itself or of a library under it.
    case internalError = 1
    case usage = 2
    /// The input cannot be opened or read, or there is nothing in it to transcode.
    case input = 3
    /// The request cannot be met with this input, container or codec.
    case unsupported = 4
    /// Hardware was required and cannot be used.
    case hardware = 5
    /// The output was written and then failed its check; it has been removed.
    case verification = 6
    /// The output is larger than `--max-size-ratio` allows, or would be.
    case size = 7
    /// The output cannot be written: permission, space, a name that is taken.
    case output = 8
    /// An unfinished transcode cannot be gone on with: its journal is of something else.
    case journal = 9
    /// Software would have to do what a GPU was to do, and `--fail-on-fallback` forbids that.
    case fallback = 10
    /// The source ended early or was damaged; the output has all of it that could be read.
    case incompleteSource = 11
    /// The camera was unplugged in the middle, or stopped giving pictures; the output is whole up to then.
    case capture = 12
    case interrupted = 130
    case terminated = 143
}

extension ExitCode {
    init(_ category: ErrorKind.Category) {
        self =
            switch category {
            case .internal: .internalError
            case .usage: .usage
            case .input: .input
            case .unsupported: .unsupported
            case .hardware: .hardware
            case .verification: .verification
            case .size: .size
            case .output: .output
            case .journal: .journal
            case .fallback: .fallback
            case .capture: .capture
            case .interrupted: .interrupted
            case .terminated: .terminated
            }
    }

    init(_ outcome: TranscodeResult.Outcome) { self = outcome == .incompleteSource ? .incompleteSource : .success }
}

extension TranscodeError {
    var exitCode: ExitCode { ExitCode(category) }
}

extension TranscodeResult {
    var exitCode: ExitCode { ExitCode(outcome) }
}
