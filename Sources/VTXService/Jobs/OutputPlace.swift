import Glibc
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// The location of a job's output: next to its final name first, under it when complete.
struct OutputPlace: Sendable {
    enum Directory: Sendable {
        case below(Roots.Place)
        /// The service's own directory.
        case own(String)
    }

    var directory: Directory
    var name: String
    /// In the same directory, hidden, with the same extension, which determines the container.
    var stagingName: String
    /// The same for the directory with the files of its segments.
    var segmentsName: String

    init(_ directory: Directory, name: String, job: JobID) {
        self.directory = directory
        self.name = name
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        // File systems allow 255 bytes.
        let stem = String(decoding: name[..<dot].utf8.prefix(160), as: UTF8.self)
        segmentsName = ".\(job.text).vtx-segments"
        stagingName = ".\(stem).\(job.text).vtx\(name[dot...])"
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

extension OverwritePolicy {
    /// Creates the policy for existing outputs from a job's settings.
    init(_ settings: [String: JSONValue]) { self = settings["overwrite"]?.string.flatMap(Self.init) ?? .refuse }
}
