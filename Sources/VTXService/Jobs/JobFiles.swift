import Glibc
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// The locations of jobs' files.
final class JobFiles: Sendable {
    let roots: Roots
    let uploads: Uploads
    /// The server's part of the directory shared by all hosts of a cluster.
    let shared: String?
    /// Whether the operator allows jobs to replace their sources.
    let mayReplaceSources: Bool
    private let state: String

    init(_ roots: Roots, _ uploads: Uploads, state: String, shared: String? = nil, mayReplaceSources: Bool = false) {
        (self.roots, self.uploads, self.state, self.shared) = (roots, uploads, state, shared)
        self.mayReplaceSources = mayReplaceSources
    }

    /// The directory for plans and records of a job's attempts.
    func workDirectory(_ job: JobID) -> String { "\(state)/work/\(job.text)" }
    /// The directory of a fetched source.
    func sourceDirectory(_ job: JobID) -> String { "\(workDirectory(job))/source" }
    /// The directory of an output that will be uploaded to a URL or downloaded.
    func ownOutputDirectory(_ job: JobID) -> String { "\(state)/outputs/\(job.text)" }

    /// Returns the directory of an output for download if other hosts do the work. The path in the cluster's record is
    /// checked against the roots, like any other.
    private func sharedOutput(of job: Job) throws(Problem) -> Roots.Place? {
        guard let shared = job.specification.shared, job.specification.output == nil else { return nil }
        return try roots.place("\(shared)/outputs/\(job.id.text)")
    }

    func thumbnailDirectory(_ job: JobID) -> String { "\(state)/thumbnails/\(job.text)" }

    func makeWorkDirectory(_ job: JobID) throws(Failure) -> String {
        let path = workDirectory(job)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            let error = SystemError("mkdir '\(path)'", errno)
            throw error.isNoSpace ? .noSpace(for: path) : .output(error, path)
        }
        return path
    }

    /// Returns the location of the output.
    ///
    /// - Parameter name: The name proposed by the plan.
    func output(of job: Job, name: String) throws(Failure) -> OutputPlace {
        do throws(Problem) {
            if job.replacesSource, let source = job.workload?.replacedSource?.path {
                return OutputPlace(.below(try roots.place(source).parent.directory), name: name, of: job)
            }
            if let path = job.specification.output?.path {
                let (directory, name) = try roots.place(path).parent
                return OutputPlace(.below(directory), name: name, of: job)
            }
            if let directory = job.specification.output?.directory {
                return OutputPlace(.below(try roots.place(directory)), name: name, of: job)
            }
            if job.specification.output == nil, let path = job.specification.input.path {
                return OutputPlace(.below(try roots.place(path).parent.directory), name: name, of: job)
            }
            if let place = try sharedOutput(of: job) { return OutputPlace(.below(place), name: name, of: job) }
        } catch { throw Failure(.request, error.code, error.detail, hint: error.hint) }
        let url = job.specification.output?.url.map { ClientFileName.plain(ofURL: $0) }
        // The extension of a URL chooses the container; one without any leaves that to planning.
        let hasExtension = url.map { !FileName.split($0).pathExtension.isEmpty } ?? false
        return OutputPlace(.own(ownOutputDirectory(job.id)), name: hasExtension ? url ?? name : name, of: job)
    }

    /// Returns the existing thumbnails.
    func thumbnails(of job: JobID) -> [Thumbnail] {
        Thumbnail.allCases.filter {
            FileStatus("\(thumbnailDirectory(job))/\($0.fileName)", followsLinks: false)?.kind == .regular
        }
    }

    func read(_ thumbnail: Thumbnail, of job: JobID) -> [UInt8]? { thumbnail.read(in: thumbnailDirectory(job)) }

    /// The jobs that have a work directory.
    var jobs: Set<JobID> { Set(Directory.names(in: "\(state)/work").compactMap { JobID($0) }) }

    /// Returns the jobs whose files here have not changed since a time.
    func jobs(leftBefore time: Timestamp) -> Set<JobID> {
        jobs.filter { job in
            let changed = FileStatus(workDirectory(job), followsLinks: false)?.modificationTime ?? 0
            return Timestamp(milliseconds: changed / 1_000_000) < time
        }
    }

    /// Removes everything of a deleted job.
    func remove(_ job: JobID) {
        let outputs = [state, shared].compactMap { $0.map { "\($0)/outputs/\(job.text)" } }
        (outputs + [workDirectory(job), thumbnailDirectory(job)]).forEach { Directory.removeTree($0) }
    }

    /// Removes the files of a job's attempts. The work directory goes last: as long as it exists, the next server removes
    /// what is left.
    func discard(_ job: Job) {
        if let staging = stagingFile(of: job) {
            Directory.remove(staging)
            discardUnfinished(staging)
        }
        discardSegments(of: job)
        if job.state != .succeeded { discardOutput(of: job) }
        Directory.removeTree(workDirectory(job.id))
    }

    /// Removes the files outside the work directory.
    func discardOutput(of job: Job) {
        Directory.removeTree(ownOutputDirectory(job.id))
        if let path = try? sharedOutput(of: job)?.realPath() { Directory.removeTree(path) }
    }

    /// Creates the directory of an output that is neither the client's choice nor on this host: outputs of a watch
    /// folder mirror the tree of its sources, but only as far as there are outputs.
    func makeDirectory(of job: Job) throws(Failure) {
        do throws(Problem) {
            if job.watchFolder != nil, let path = job.specification.output?.directory { try roots.makeDirectory(path) }
            if let place = try sharedOutput(of: job) { try roots.makeDirectory(place.path) }
        } catch {
            throw Failure(.output, error.code, error.detail, hint: error.hint)
        }
    }

    /// Returns the resolved path of a source that is already a file.
    func source(_ input: JobSpecification.Input, shared: String?) throws -> String {
        if let upload = input.upload, shared == nil { return try uploads.completePath(upload) }
        let path = input.path ?? "\(shared ?? "")/uploads/\(input.upload ?? "")/\(input.uploadName ?? "")"
        return try roots.realPath(ofSource: path)
    }

    /// Removes what the next attempt would resume from, and keeps the records. An output for a URL stays too: the next
    /// attempt only sends it.
    func discardUnfinished(_ job: Job) {
        Directory.removeTree(sourceDirectory(job.id))
        if let staging = stagingFile(of: job) {
            if job.specification.output?.url == nil { Directory.remove(staging) }
            discardUnfinished(staging)
        }
        discardSegments(of: job)
    }

    /// Removes the segments that other workers have encoded.
    func discardSegments(of job: Job) {
        guard job.segmentCount > 1, let place = place(of: job), let directory = try? place.open() else { return }
        Directory.removeTree("\(directory.path)/\(place.segmentsName)")
    }

    private func discardUnfinished(_ staging: String) {
        Directory.removeTree(JournalRequest().path(for: staging))
        AtomicFile.removeLeftover(at: AtomicFile.partialPath(for: staging))
        AtomicDirectory.removeLeftover(at: AtomicFile.partialPath(for: staging))
    }

    private func place(of job: Job) -> OutputPlace? {
        guard let place = try? output(of: job, name: job.workload?.outputName ?? ""), !place.name.isEmpty else {
            return nil
        }
        return place
    }

    private func stagingFile(of job: Job) -> String? {
        guard let place = place(of: job), let directory = try? place.open() else { return nil }
        return "\(directory.path)/\(place.stagingName)"
    }
}

/// A thumbnail of a job's video.
package enum Thumbnail: String, Sendable, CaseIterable {
    case source
    case output

    package var fileName: String { "\(rawValue).jpg" }
    /// The maximum size, in bytes; thumbnails usually have a twentieth of it.
    static let limit = 1 << 20

    /// Reads a thumbnail. Its worker may have been compromised, so anything other than a small JPEG is rejected.
    func read(in directory: String) -> [UInt8]? {
        guard
            let file = try? FileDescriptor(
                opening: "\(directory)/\(fileName)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let status = file.status, status.kind == .regular, status.byteCount <= Self.limit,
            let bytes = try? file.readAll(limit: Self.limit), bytes.starts(with: [0xff, 0xd8, 0xff])
        else { return nil }
        return bytes
    }
}

extension SystemError {
    var isNoSpace: Bool { [ENOSPC, EDQUOT].contains(code) }
    /// Whether the name is taken.
    var isExisting: Bool { [EEXIST, ENOTEMPTY].contains(code) }
}

extension Failure {
    /// Whether a retry continues from what the attempt has left: the disk was full, or not writable.
    var isResumable: Bool {
        category == .output && ![ErrorKind.outputExists, .outputBusy].contains { $0.rawValue == code }
    }

    static func output(_ error: SystemError, _ path: String) -> Failure {
        switch error.code {
        case _ where error.isNoSpace:
            Failure(.output, "output.noSpace", "no space for '\(path)'", hint: "free some space, then retry the job")
        case EACCES, EPERM, EROFS: Failure(.output, "output.denied", "cannot write '\(path)': \(error.reason)")
        case _ where error.isExisting:
            Failure(.output, "output.exists", "'\(path)' exists", hint: "the setting 'overwrite' can be 'replace'")
        case EXDEV, ELOOP: Failure(.request, "path.outside", "'\(path)' is outside the roots of this service")
        default: Failure(.output, "output.failed", "cannot write '\(path)': \(error.reason)")
        }
    }
}
