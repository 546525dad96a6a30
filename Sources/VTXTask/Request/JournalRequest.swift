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
        path.hasPrefix("/") || workingDirectory.isEmpty ? path : "\(workingDirectory)/\(path)"
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
        "the same command, or `\(resumeCommand(output))`, goes on \(place)"
    }
}

/// A transcode that was not finished, by the journal that it has left.
package struct UnfinishedTranscode: Sendable, Hashable, Codable {
    /// Of the journal.
    package var path: String
    /// From the root directory on; empty where the journal does not say.
    package var output: String
    /// What the program was told, and where.
    package var command: [String]
    package var workingDirectory: String
    /// Of the journal.
    package var byteCount: Int64

    package init(path: String, output: String, command: [String], workingDirectory: String, byteCount: Int64) {
        self.path = path
        self.output = output
        self.command = command
        self.workingDirectory = workingDirectory
        self.byteCount = byteCount
    }

    package func remove() { Directory.removeTree(path) }
}
