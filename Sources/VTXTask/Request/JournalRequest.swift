package import VTXMedia
import VTXSystem

/// How a transcode keeps what it has encoded, so that the same request goes on where it was killed.
package struct JournalRequest: Sendable, Hashable, Codable {
    /// Where journals are; nil for beside the output.
    package var directory: String?
    /// An unfinished one is thrown away.
    package var startsOver = false
    /// The program's version: coded frames of two versions do not mix silently.
    package var version = ""
    /// What the program was told, so that it can go on from the journal alone.
    package var command: [String] = []
    package var workingDirectory = ""

    package init() {}

    /// Of an output: its path from the root directory on, where the working directory is known.
    package func absolutePath(_ path: String) -> String {
        if path.hasPrefix("/") { return FileName.canonical(path) }
        return workingDirectory.isEmpty ? path : FileName.canonical("\(workingDirectory)/\(path)")
    }

    /// How every journal's name ends.
    package static let suffix = ".vtx-journal"

    /// Where the journal of an output is, from wherever the program is called: beside the output, hidden, or under a
    /// directory of the user's choice.
    package func path(for output: String) -> String {
        let (beside, name) = FileName.directory(of: output)
        let plain = ".\(name)\(Self.suffix)"
        // File systems allow 255 bytes. The same output finds the same journal again.
        let identity = SHA256.hexadecimal((directory == nil ? name : absolutePath(output)).utf8).prefix(16)
        let isLong = plain.utf8.count > 255
        guard let directory else { return "\(beside)/" + (isLong ? ".\(identity)\(Self.suffix)" : plain) }
        return "\(directory)/" + (isLong ? "\(identity)\(Self.suffix)" : "\(name).\(identity)\(Self.suffix)")
    }

    /// Whether there is a journal of an output.
    package func exists(for output: String) -> Bool { FileStatus("\(path(for: output))/header.json") != nil }

    /// What goes on with the transcode of an output, for a shell.
    package func resumeCommand(_ output: String) -> String {
        let name = directory == nil ? output : path(for: output)
        return "vtx resume '\(name.replacing("'", with: "'\\''"))'"
    }

    /// Tells the user that nothing is lost.
    ///
    /// - Parameter place: where the work goes on: `after 113 frames`.
    package func resumeHint(_ output: String, _ place: String) -> Message {
        "the same command, or `\(resumeCommand(output))`, continues \(place)"
    }
}

/// A transcode that was not finished, by what it has left.
package struct UnfinishedTranscode: Sendable, Hashable, Codable {
    /// Of the journal; of the partial file where there is no journal.
    package var path: String
    /// From the root directory on; empty where nothing says it.
    package var output = ""
    /// Likewise.
    package var input = ""
    /// What the program was told, and where; empty where nothing can be gone on from.
    package var command: [String] = []
    package var workingDirectory = ""
    /// Of the journal and the partial file.
    package var byteCount: Int64

    package init(path: String, byteCount: Int64) { (self.path, self.byteCount) = (path, byteCount) }

    package var mayGoOn: Bool { !command.isEmpty }

    package func remove() {
        if AtomicFile.removeLeftover(at: path) { return }
        Directory.removeTree(path)
        if !output.isEmpty { AtomicFile.removeLeftover(at: AtomicFile.partialPath(for: output)) }
    }
}
