import Glibc
import VTXJSON
package import VTXSystem

/// What a journal is of. It is resumed only where all of this is the same.
package struct JournalHeader<Task: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    package var formatVersion = Self.currentVersion
    /// What was asked for and planned.
    package var task: Task
    package var source: SourceIdentity
    /// Files beside it, of which something goes into the output.
    package var additions: [SourceIdentity]?
    /// What writes the frames, such as `vtx` and `libx264`: frames of different encoders do not mix silently.
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
    /// Written as a whole, before the first frame.
    package func write(to journal: JournalDirectory) throws(JournalError) {
        let path = journal.file("header.json")
        guard let text = try? JSONValue(encoding: self).text else {
            throw .damagedHeader(path: path, reason: "it cannot be encoded")
        }
        try reportingErrors(of: path) { () throws(SystemError) in
            let file = try FileDescriptor(opening: path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
            try file.writeAll(text + "\n")
            guard rename(path + ".new", path) == 0 else { throw SystemError("rename", errno) }
        }
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
            // Plans get new members from version to version.
            if let versions = try? value["versions"]?.decoded([String: String].self) {
                throw .otherTask(path: path, versions: versions)
            }
            throw .damagedHeader(path: path, reason: "\(error)")
        }
    }
}

/// Tells whether a source is the one that a journal was begun with.
package struct SourceIdentity: Codable, Hashable, Sendable {
    package var byteCount: Int64
    /// Nanoseconds since 1970.
    package var modificationTime: Int64
    /// SHA-256 of the first and the last 64 KiB: headers and indexes are there.
    package var digest: String

    private static let sampleSize = 1 << 16

    package init(of path: String) throws(SystemError) {
        let file = try FileDescriptor(opening: path)
        guard let status = file.status else { throw SystemError("fstat '\(path)'", errno) }
        byteCount = status.byteCount
        modificationTime = status.modificationTime
        var digest = SHA256()
        digest.add(try file.read(at: 0, upTo: Self.sampleSize))
        let tail = max(Int64(Self.sampleSize), byteCount - Int64(Self.sampleSize))
        digest.add(try file.read(at: tail, upTo: Self.sampleSize))
        self.digest = digest.finish().hexadecimal
    }
}
