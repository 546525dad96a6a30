import Glibc
import VTXMedia
package import VTXSystem

extension TranscodeError {
    /// Why an output cannot be written.
    package init(_ error: AtomicFileError) {
        switch error {
        case .exists(let path):
            self.init(
                .outputExists, "the output '\(path)' exists already",
                hint: "\(option: .overwrite, "replace") replaces it once the new file is complete; "
                    + "\(option: .overwrite, "skip") leaves it alone")
        case .isSource(let path):
            self.init(
                .outputIsInput, "'\(path)' is the input itself; vtx never writes over its source",
                hint: "name another output, or none")
        case .notRegularFile(let path):
            self.init(.outputNotAFile, "the output '\(path)' exists and is not a regular file")
        case .notPartialFile(let path, let partial):
            self.init(
                .outputNotAFile, "'\(partial)' is in the way: it is not a file that vtx left there",
                hint: "vtx writes there before it gives '\(path)' its name")
        case .busy(let path): self.init(.outputBusy, "another vtx is writing '\(path)'")
        case .directory(let path, let error):
            self.init(output: "the output directory '\(path)' cannot be used", error.code)
        case .system(let path, let error): self.init(output: "'\(path)' cannot be written", error.code)
        }
    }

    /// The user has ended the job; a file that had the output's name before still has it.
    package static func cancelled(_ reason: Cancellation.Reason, output: String) -> TranscodeError {
        .cancelled(
            reason,
            FileStatus(output) == nil
                ? "cancelled; nothing is left of '\(output)'" : "cancelled; the old '\(output)' is untouched")
    }

    /// A call to the system that failed while writing.
    ///
    /// - Parameter code: `errno`.
    package init(output what: String, _ code: Int32) {
        let error = SystemError("write", code)
        self.init(error.outputKind, "\(what): \(error.reason)")
        cause = error.reason
    }
}

extension SystemError {
    fileprivate var outputKind: ErrorKind {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .outputNoSpace
        case EACCES, EPERM, EROFS: .outputPermission
        case EEXIST: .outputExists
        case ENOENT, ENOTDIR: .outputNotFound
        case ENAMETOOLONG: .outputNameTooLong
        default: .outputWrite
        }
    }
}

/// Has errors of an `AtomicFile` reported as the transcode's.
package func reportingOutputErrors<Result>(
    _ body: () throws(AtomicFileError) -> Result
) throws(TranscodeError) -> Result {
    do throws(AtomicFileError) { return try body() } catch { throw TranscodeError(error) }
}
