import Glibc
package import VTXJSON
package import VTXJobs
import VTXSystem
import VTXTask

/// The location of a job's output: next to its final name first, under it when complete.
struct OutputPlace: Sendable {
    enum Parent: Sendable {
        case below(Roots.Place)
        /// The service's own directory.
        case own(String)
    }

    /// The output: one file, or a directory of files.
    enum Form: Sendable {
        case file
        case directory
    }

    var directory: Parent
    var name: String
    var form: Form
    /// In the same directory, hidden, with the same extension, which determines the container.
    var stagingName: String
    /// The same for a directory that the output replaces, until it is removed.
    var replacedName: String
    /// The same for the directory with the files of its segments.
    var segmentsName: String

    init(_ directory: Parent, name: String, of job: Job) {
        self.directory = directory
        self.name = name
        form = job.specification.outputForm
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        // File systems allow 255 bytes.
        let stem = String(decoding: name[..<dot].utf8.prefix(160), as: UTF8.self)
        segmentsName = ".\(job.id.text).vtx-segments"
        replacedName = ".\(job.id.text).vtx-replaced"
        stagingName = ".\(stem).\(job.id.text).vtx\(name[dot...])"
    }

    /// Opens the directory. The path is resolved each time.
    func open() throws(SystemError) -> OpenDirectory {
        switch directory {
        case .below(let place): OpenDirectory(try place.open(O_RDONLY | O_DIRECTORY))
        case .own(let path): try OpenDirectory(path)
        }
    }

    /// Creates the directory if it is the service's own.
    func makeDirectory() throws(Failure) {
        guard case .own(let path) = directory, mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw .output(SystemError("mkdir '\(path)'", errno), path)
    }

    /// The path shown to clients.
    var path: String {
        switch directory {
        case .below(let place): place.path == "/" ? "/\(name)" : "\(place.path)/\(name)"
        case .own(let path): "\(path)/\(name)"
        }
    }
}

/// A complete output that does not have its name yet.
struct StagedOutput {
    var status: FileStatus
    /// The files of a directory, the one that players open first; nil for a single file.
    var files: [JobResult.File]?

    var byteCount: Int64 { files?.reduce(0) { $0 + $1.bytes } ?? status.byteCount }

    /// The largest video of a directory, by its name.
    var video: String? {
        files?.filter { $0.name.hasSuffix(".mp4") && !$0.name.hasPrefix(LadderFiles.audio) }.max {
            $0.bytes < $1.bytes
        }?
        .name
    }
}

// What happens to the name of an output.
extension OutputPlace {
    /// Whether the output may be written under its name.
    ///
    /// - Returns: false if what has the name stays, and the job is skipped.
    /// - Parameter source: A file that stays, whatever the policy.
    func isWanted(
        _ policy: OverwritePolicy, source: String?, in directory: borrowing OpenDirectory
    ) throws(AtomicFileError) -> Bool {
        let path = "\(directory.path)/\(name)"
        switch form {
        case .file:
            if let source { try AtomicFile.checkDistinct(source: source, output: path) }
            return try AtomicFile.isWanted(path, policy)
        case .directory:
            if let source { try AtomicDirectory.checkDistinct(source: source, output: path) }
            return try AtomicDirectory.isWanted(path, policy, LadderFiles.contents)
        }
    }

    /// Returns the output under its hidden name; nil if there is none.
    func staged(in directory: borrowing OpenDirectory) -> StagedOutput? {
        guard let status = directory.status(stagingName) else { return nil }
        switch (form, status.kind) {
        case (.file, .regular): return StagedOutput(status: status)
        case (.directory, .directory): return StagedOutput(status: status, files: files(in: directory))
        default: return nil
        }
    }

    private func files(in directory: borrowing OpenDirectory) -> [JobResult.File]? {
        guard let opened = try? directory.open(stagingName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else { return nil }
        let staged = OpenDirectory(opened)
        let files = Directory.names(in: staged.path).compactMap { name in
            staged.status(name).flatMap {
                $0.kind == .regular ? JobResult.File(name: name, bytes: $0.byteCount) : nil
            }
        }
        let first = [LadderFiles.playlist, LadderFiles.manifest]
        let rank = { (name: String) in first.firstIndex(of: name) ?? first.count }
        return files.sorted { (rank($0.name), $0.name) < (rank($1.name), $1.name) }
    }

    /// Gives the output its name.
    func publish(in directory: borrowing OpenDirectory, replaces: Bool) throws(SystemError) {
        switch form {
        case .file: try directory.rename(stagingName, to: name, replaces: replaces)
        case .directory:
            // Only a ladder is replaced, also if something else has been put there since.
            let mayReplace = (try? isWanted(.replace, source: nil, in: directory)) ?? false
            try directory.renameDirectory(stagingName, to: name, aside: replaces && mayReplace ? replacedName : nil)
            removeReplaced(in: directory)
        }
        directory.synchronize()
    }

    /// Gives a directory its hidden name again, if a server was killed while it replaced another one.
    func restoreStaged(_ file: FileIdentity, in directory: borrowing OpenDirectory) {
        if directory.status(replacedName)?.identity.isSameFile(as: file) == true {
            try? directory.move(replacedName, to: stagingName)
        }
    }

    /// Removes the directory that the output has replaced.
    func removeReplaced(in directory: borrowing OpenDirectory) {
        if form == .directory, directory.status(name) != nil {
            Directory.removeTree("\(directory.path)/\(replacedName)")
        }
    }
}

extension JobSpecification {
    var outputForm: OutputPlace.Form { Self.writesDirectory(settings) ? .directory : .file }

    /// Whether the output of a job with these settings is a directory.
    package static func writesDirectory(_ settings: [String: JSONValue]) -> Bool {
        let request = try? TranscodeRequest(input: "", settings: TranscodeRequest.settings(settings))
        return request?.hasRenditions == true
    }
}

extension OverwritePolicy {
    /// Creates the policy for existing outputs from a job's settings.
    init(_ settings: [String: JSONValue]) { self = settings["overwrite"]?.string.flatMap(Self.init) ?? .refuse }
}

extension Failure {
    /// Creates the failure for an output whose name is taken.
    static func output(_ error: AtomicFileError, _ place: OutputPlace) -> Failure {
        if case .exists(let path) = error {
            let isFile = FileStatus(path, followsLinks: false)?.kind != .directory
            guard place.form == .directory, isFile else { return .output(SystemError("open", EEXIST), place.path) }
            return Failure(
                .output, "output.exists", "'\(place.path)' is a file, but the output is a directory",
                hint: "name a new or empty directory")
        }
        let error = TranscodeError(error)
        return Failure(.output, error.kind.rawValue, "\(error.message)", hint: error.hint.map { "\($0)" })
    }
}
