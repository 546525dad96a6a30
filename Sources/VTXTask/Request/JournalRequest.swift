package import VTXMedia
import VTXSystem

/// The settings of the journal, in which a transcode keeps its encoded frames so that the same request can resume it
/// after a crash.
package struct JournalRequest: Sendable, Hashable, Codable {
    /// The directory of journals; nil for the output's.
    package var directory: String?
    /// Whether to discard an existing journal.
    package var startsOver = false
    /// The program's version, so that frames encoded by two versions are not mixed silently.
    package var version = ""
    /// The command line, so that the journal alone suffices to resume.
    package var command: [String] = []
    package var workingDirectory = ""

    package init() {}

    /// Returns the absolute path of an output, if the working directory is known.
    package func absolutePath(_ path: String) -> String {
        if path.hasPrefix("/") { return FileName.canonical(path) }
        return workingDirectory.isEmpty ? path : FileName.canonical("\(workingDirectory)/\(path)")
    }

    /// The suffix of every journal's name.
    package static let suffix = ".vtx-journal"

    /// Returns the journal's path for an output, independent of the working directory: next to the output, hidden, or
    /// in the user's directory.
    package func path(for output: String) -> String {
        let (beside, name) = FileName.directory(of: output)
        let plain = ".\(name)\(Self.suffix)"
        // File systems allow 255 bytes. The same output always maps to the same journal.
        let identity = SHA256.hexadecimal((directory == nil ? name : absolutePath(output)).utf8).prefix(16)
        let isLong = plain.utf8.count > 255
        guard let directory else { return "\(beside)/" + (isLong ? ".\(identity)\(Self.suffix)" : plain) }
        return "\(directory)/" + (isLong ? "\(identity)\(Self.suffix)" : "\(name).\(identity)\(Self.suffix)")
    }

    package func exists(for output: String) -> Bool { FileStatus("\(path(for: output))/header.json") != nil }

    /// Returns a shell command that resumes the transcode of an output.
    package func resumeCommand(_ output: String) -> String {
        let name = directory == nil ? output : path(for: output)
        return "vtx resume '\(name.replacing("'", with: "'\\''"))'"
    }

    /// Returns a hint that nothing is lost.
    ///
    /// - Parameter place: Where the transcode resumes: `after 113 frames`.
    package func resumeHint(_ output: String, _ place: String) -> Message {
        "the same command, or `\(resumeCommand(output))`, continues \(place)"
    }
}

/// An unfinished transcode, as found on disk.
package struct UnfinishedTranscode: Sendable, Hashable, Codable {
    /// The path of the journal, or of the partial file if there is no journal.
    package var path: String
    /// The absolute path; empty if unknown.
    package var output = ""
    /// The absolute path; empty if unknown.
    package var input = ""
    /// The command line and working directory; empty if it cannot be resumed.
    package var command: [String] = []
    package var workingDirectory = ""
    /// The size of the journal and the partial file.
    package var byteCount: Int64

    package init(path: String, byteCount: Int64) { (self.path, self.byteCount) = (path, byteCount) }

    package var isResumable: Bool { !command.isEmpty }

    package func remove() {
        if path.hasSuffix(AtomicFile.partialSuffix) { return AtomicDirectory.removeLeftoverOfAnyKind(at: path) }
        Directory.removeTree(path)
        if !output.isEmpty { AtomicDirectory.removeLeftoverOfAnyKind(at: AtomicFile.partialPath(for: output)) }
    }
}
