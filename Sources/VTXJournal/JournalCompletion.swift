import Glibc
import VTXJSON
package import VTXSystem

/// Marks a journal whose output is complete. Flushed to the disk before the output gets its final name.
///
/// If the process is killed after that, the output is identified by this file. It contains everything that the next run
/// needs, because the header may already be removed.
package struct JournalCompletion: Codable, Hashable, Sendable {
    package var output: SourceIdentity
    /// The input's identity, and its path below.
    package var source: SourceIdentity
    package var input: String
    /// Added input files by path.
    package var additions: [String: SourceIdentity]?
    /// The absolute path of the source to remove after the output is in place; nil for none.
    package var replacedSource: String?
    /// The command line, and its working directory.
    package var command: [String]
    package var workingDirectory: String

    private static let name = "finished.json"

    package init(
        output: SourceIdentity, source: SourceIdentity, input: String, replacedSource: String?, command: [String],
        workingDirectory: String
    ) {
        (self.output, self.source, self.input, self.replacedSource) = (output, source, input, replacedSource)
        (self.command, self.workingDirectory) = (command, workingDirectory)
    }

    package func write(to journal: JournalDirectory) throws(JournalError) {
        let path = journal.file(Self.name)
        guard let text = try? JSONValue(encoding: self).text else {
            throw .damagedHeader(path: path, reason: "it cannot be encoded")
        }
        try reportingErrors(of: path) { () throws(SystemError) in
            let file = try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
            try file.writeAll(text + "\n")
            try file.synchronize()
        }
        try journal.synchronize()
    }

    /// Does not take the journal's lock, which another process may hold as long as it runs.
    package static func exists(in journal: String) -> Bool { FileStatus("\(journal)/\(name)") != nil }

    /// Returns nil if the file is missing or incomplete.
    package static func read(from journal: JournalDirectory) -> JournalCompletion? {
        guard let text = TextFile.read(journal.file(name)) else { return nil }
        return try? JSONValue(parsing: Array(text.utf8)).decoded(Self.self)
    }

    /// Removes the mark when the work continues, because the output will differ.
    package static func remove(from journal: JournalDirectory) { unlink(journal.file(name)) }
}
