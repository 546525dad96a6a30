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
    let state: String

    init(_ roots: Roots, _ uploads: Uploads, state: String, shared: String? = nil, mayReplaceSources: Bool = false) {
        (self.roots, self.uploads, self.state, self.shared) = (roots, uploads, state, shared)
        self.mayReplaceSources = mayReplaceSources
    }

    /// The directory for plans and records of a job's attempts.
    func workDirectory(_ job: JobID) -> String { "\(state)/work/\(job.text)" }
    /// The directory of an output that will be uploaded to a URL or downloaded.
    func ownOutputDirectory(_ job: JobID) -> String { "\(state)/outputs/\(job.text)" }

    /// Returns the directory of an output for download or for a URL if other hosts do the work: each can resume it. The
    /// path in the cluster's record is checked against the roots, like any other.
    func sharedOutput(of job: Job) throws(Problem) -> Roots.Place? {
        let output = job.specification.output
        guard let shared = job.specification.shared, output == nil || output?.url != nil else { return nil }
        return try roots.place("\(shared)/outputs/\(job.id.text)")
    }

    /// The same of a fetched source.
    func sharedSource(of job: Job) throws(Problem) -> Roots.Place? {
        guard let shared = job.specification.shared, job.specification.input.url != nil else { return nil }
        return try roots.place("\(shared)/sources/\(job.id.text)")
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

    /// Creates the directory of a fetched source.
    func makeSourceDirectory(of job: Job) throws(Failure) -> String {
        let place: Roots.Place?
        do throws(Problem) {
            place = try sharedSource(of: job)
            if let place { try roots.makeDirectory(place.path) }
        } catch { throw Failure(.output, error.code, error.detail, hint: error.hint) }
        guard let place else { return "\(try makeWorkDirectory(job.id))/source" }
        do throws(SystemError) { return try place.realPath() } catch { throw .output(error, place.path) }
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
            let shared = try sharedOutput(of: job).map { OutputPlace.Parent.below($0) }
            return OutputPlace(shared ?? .own(ownOutputDirectory(job.id)), name: ownName(of: job) ?? name, of: job)
        } catch { throw Failure(.request, error.code, error.detail, hint: error.hint) }
    }

    /// Returns the name of an output for a URL. Its extension chooses the container; one without any leaves the name to
    /// planning.
    private func ownName(of job: Job) -> String? {
        let name = job.specification.output?.url.map { ClientFileName.plain(ofURL: $0) }
        return name.flatMap { FileName.split($0).pathExtension.isEmpty ? nil : $0 }
    }

    /// Returns the path of a planned output without symbolic links; nil if no other job can have it: outputs for URLs
    /// and for download are in directories of their own.
    func outputPath(of job: Job, replacing replaced: Workload.ReplacedFile?, name: String) -> String? {
        if let replaced { return "\(FileName.directory(of: replaced.path).directory)/\(name)" }
        guard let place = try? output(of: job, name: name), case .below(let directory) = place.directory,
            job.specification.output?.url == nil
        else { return nil }
        return (try? directory.futurePath()).map { "\($0)/\(place.name)" }
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

    /// The jobs that have files in the state directory.
    var jobsWithFiles: Set<JobID> {
        let folders = ["outputs", "thumbnails", "work"]
        return Set(folders.flatMap { Directory.names(in: "\(state)/\($0)").compactMap { JobID($0) } })
    }

    /// Returns the jobs whose files here have not changed since a time.
    func jobs(leftBefore time: Timestamp) -> Set<JobID> {
        jobs.filter { job in
            let changed = FileStatus(workDirectory(job), followsLinks: false)?.modificationTime ?? 0
            return Timestamp(milliseconds: changed / 1_000_000) < time
        }
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
    /// Whether a retry continues from what the attempts have left: the disk was full, or not writable, or an earlier
    /// worker still holds the journal.
    var isResumable: Bool {
        code == ErrorKind.outputBusy.rawValue || category == .output && code != ErrorKind.outputExists.rawValue
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
