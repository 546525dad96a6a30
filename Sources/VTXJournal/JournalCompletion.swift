import Glibc
import VTXJSON
import VTXSystem

/// The mark of a journal whose output is whole, written through to the disk before the output gets its name.
///
/// A process that is killed after that leaves both: the output is the one that the mark describes. The mark says all that
/// the next run has to know, for the header goes before it.
package struct JournalCompletion: Codable, Hashable, Sendable {
    package var output: SourceIdentity
    /// What the output was made from, and where that is.
    package var source: SourceIdentity
    package var input: String
    /// Files beside it, by their paths.
    package var additions: [String: SourceIdentity]?
    /// A file that goes once the output is in place, from the root directory on; nil for none.
    package var replacedSource: String?
    /// What the program was told, and where.
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

    /// Looked at without the journal's lock, which another process may have for as long as it works.
    package static func exists(in journal: String) -> Bool { FileStatus("\(journal)/\(name)") != nil }

    /// nil for a journal that is not marked, or whose mark is not whole.
    package static func read(from journal: JournalDirectory) -> JournalCompletion? {
        guard let text = TextFile.read(journal.file(name)) else { return nil }
        return try? JSONValue(parsing: Array(text.utf8)).decoded(Self.self)
    }

    /// The work goes on: what it makes is another output.
    package static func remove(from journal: JournalDirectory) { unlink(journal.file(name)) }
}
