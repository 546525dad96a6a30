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
