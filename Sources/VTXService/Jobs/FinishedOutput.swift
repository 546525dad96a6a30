import Glibc
import VTXHTTP
import VTXJobs
import VTXSystem

/// The output of a job, as clients fetch it.
struct FinishedOutput: Sendable {
    private let job: Job
    private let result: JobResult

    /// - Throws: if the service has no output of the job.
    init(_ job: Job) throws(Problem) {
        guard let result = job.result, job.state == .succeeded else {
            throw Problem(409, "job.conflict", "the job has no output; it is \(job.state.rawValue)")
        }
        if job.specification.output?.url != nil {
            throw Problem(409, "output.elsewhere", "the output was sent to \(result.output)")
        }
        (self.job, self.result) = (job, result)
    }

    var name: String { FileName.directory(of: result.output).name }

    /// The file of a directory that players open first; nil for a single file.
    var firstFile: String? { result.files?.first?.name }

    /// Opens the output, or a file of it.
    ///
    /// - Parameter file: A file of a directory; nil for the output itself.
    func open(_ file: String?, in files: JobFiles) throws(Problem) -> SharedFile {
        // Only what the job has written is known by its name: no path leads elsewhere.
        let listed = file.flatMap { file in result.files?.first { $0.name == file } }
        if let file, listed == nil { throw Problem(404, "output.notFound", "the output has no file '\(file)'") }
        let path = file.map { "\(result.output)/\($0)" } ?? result.output
        do throws(SystemError) {
            let opened = try files.open(path, of: job.id, followsLinks: file == nil)
            guard let status = opened.status, status.kind == .regular else { throw SystemError("open", ENOENT) }
            // Playlists give byte ranges: files of another job do not fit them.
            if let listed, status.byteCount != listed.bytes { throw SystemError("open", ESTALE) }
            return SharedFile(opened)
        } catch {
            let change = error.code == ESTALE ? "has changed since the job ended" : "no longer exists"
            throw Problem(404, "output.notFound", "the output '\(path)' \(change)")
        }
    }
}

extension JobFiles {
    fileprivate func open(_ path: String, of job: JobID, followsLinks: Bool) throws(SystemError) -> FileDescriptor {
        // Opening a FIFO must not block.
        if path.hasPrefix(ownOutputDirectory(job) + "/") {
            return try FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        }
        guard let place = try? roots.place(path) else { throw SystemError("open", EACCES) }
        return try place.open(O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
    }
}
