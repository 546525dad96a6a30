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
