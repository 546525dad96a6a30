import Glibc
import VTXFFmpeg
package import VTXSystem
package import VTXTask

extension TranscodeError {
    /// Why an output cannot be written.
    package init(_ error: AtomicFileError) {
        switch error {
        case .exists(let path):
            self.init(
                .output, "output.exists", "the output '\(path)' exists already",
                hint: "-y replaces it once the new file is complete; -n leaves it alone")
        case .isSource(let path):
            self.init(
                .usage, "output.isInput", "'\(path)' is the input itself; vtx never writes over its source",
                hint: "name another output, or none")
        case .notRegularFile(let path):
            self.init(.output, "output.notAFile", "the output '\(path)' exists and is not a regular file")
        case .notPartialFile(let path, let partial):
            self.init(
                .output, "output.notAFile", "'\(partial)' is in the way: it is not a file that vtx left there",
                hint: "vtx writes there before it gives '\(path)' its name")
        case .busy(let path): self.init(.output, "output.busy", "another vtx is writing '\(path)'")
        case .directory(let path, let error):
            self.init(output: "the output directory '\(path)' cannot be used", error.code)
        case .system(let path, let error): self.init(output: "'\(path)' cannot be written", error.code)
        }
    }

    /// A call to the system that failed while writing.
    ///
    /// - Parameter code: `errno`.
    package init(output what: String, _ code: Int32) {
        let error = SystemError("write", code)
        self.init(.output, error.outputCode, "\(what): \(error.reason)")
    }

    /// A write that failed in libavformat.
    init(_ error: FFmpegError, writing output: String) {
        switch error.kind {
        case .noSpace, .permission, .notFound: self.init(output: "'\(output)' cannot be written", -error.status)
        default: self.init(.output, "output.write", "'\(output)' cannot be written: \(error)")
        }
    }
}

extension SystemError {
    fileprivate var outputCode: String {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: "output.noSpace"
        case EACCES, EPERM, EROFS: "output.permission"
        case EEXIST: "output.exists"
        case ENOENT, ENOTDIR: "output.notFound"
        case ENAMETOOLONG: "output.nameTooLong"
        default: "output.write"
        }
    }
}

/// Has errors of an `AtomicFile` reported as the transcode's.
package func reportingOutputErrors<Result>(
    _ body: () throws(AtomicFileError) -> Result
) throws(TranscodeError) -> Result {
    do throws(AtomicFileError) { return try body() } catch { throw TranscodeError(error) }
}
