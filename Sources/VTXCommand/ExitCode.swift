package import VTXJobs
import VTXTask

/// The exit code of a command. Stable, and documented in `docs/use.md`.
package enum ExitCode: Int32, Sendable, Hashable, CaseIterable {
    case success = 0
    /// A bug in vtx or in a library that it uses.
    case internalError = 1
    case usage = 2
    /// The input cannot be opened or read, or contains nothing to transcode.
    case input = 3
    /// The request cannot be fulfilled with this input, container or codec.
    case unsupported = 4
    /// Hardware is required, but cannot be used.
    case hardware = 5
    /// The output failed its check and was removed.
    case verification = 6
    /// The output is, or would be, larger than `--max-size-ratio` allows.
    case size = 7
    /// The output cannot be written: permission denied, disk full, or existing file.
    case output = 8
    /// An unfinished transcode cannot be resumed, because its journal does not match.
    case journal = 9
    /// Software would have to replace a GPU, which `--fail-on-fallback` forbids.
    case fallback = 10
    /// The source was truncated or damaged; the output contains everything that could be read.
    case incompleteSource = 11
    /// The camera was unplugged or stopped delivering frames. The output is complete up to then.
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

    /// Creates the exit code of `vtx transcode` for the error of a service's job.
    ///
    /// - Parameters:
    ///   - code: Usually one of a transcode.
    ///   - category: Decides for a code of the service.
    package init(jobError code: String?, _ category: Failure.Category?) {
        switch code.flatMap(ErrorKind.init(rawValue:)) {
        case let kind?: self = ExitCode(kind.category)
        case nil where code == "hardware.noneLeft": self = .hardware
        case nil: self = category.map { ExitCode($0) } ?? .internalError
        }
    }

    private init(_ category: Failure.Category) {
        self =
            switch category {
            case .source: .input
            case .request: .unsupported
            case .output: .output
            case .verification: .verification
            case .rule: .fallback
            case .device: .hardware
            case .network, .busy, .worker: .internalError
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
