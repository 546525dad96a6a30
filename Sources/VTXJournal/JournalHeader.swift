import Glibc
import VTXJSON
package import VTXSystem

/// Identifies the job of a journal, which is resumed only if it produces the same output.
package struct JournalHeader<Task: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    package var formatVersion = Self.currentVersion
    /// What is encoded, and how.
    package var task: Task
    package var source: SourceIdentity
    /// Added input files.
    package var additions: [SourceIdentity]?
    /// The versions of `vtx` and of the encoder, such as `libx264`. Frames of different encoders are not mixed
    /// silently.
    package var versions: [String: String]

    package static var currentVersion: Int { 1 }

    package init(
        task: Task, source: SourceIdentity, additions: [SourceIdentity]? = nil, versions: [String: String]
    ) {
        self.task = task
        self.source = source
        self.additions = additions
        self.versions = versions
    }
}

extension JournalHeader {
    /// Writes the header atomically, before the first frame.
    package func write(to journal: JournalDirectory) throws(JournalError) {
        let path = journal.file("header.json")
        guard let text = try? JSONValue(encoding: self).text else {
            throw .damagedHeader(path: path, reason: "it cannot be encoded")
        }
        try reportingErrors(of: path) { () throws(SystemError) in try journal.replace("header.json", with: text) }
    }

    package static func read(from journal: JournalDirectory) throws(JournalError) -> JournalHeader {
        let path = journal.file("header.json")
        let bytes = try reportingErrors(of: path) { () throws(SystemError) in
            try FileDescriptor(opening: path).readAll(limit: 64 << 20)
        }
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes) } catch { throw .damagedHeader(path: path, reason: "\(error)") }
        if let version = value["formatVersion"]?.integer, version != currentVersion {
            throw .otherFormat(path: path, version: Int(version))
        }
        do { return try value.decoded(Self.self) } catch {
            // New versions add members to plans.
            if let versions = try? value["versions"]?.decoded([String: String].self) {
                throw .otherTask(path: path, versions: versions)
            }
            throw .damagedHeader(path: path, reason: "\(error)")
        }
    }
}
