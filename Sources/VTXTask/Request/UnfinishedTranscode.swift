import VTXSystem

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
