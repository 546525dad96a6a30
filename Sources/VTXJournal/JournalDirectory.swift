import Glibc
package import VTXSystem

/// A journal on disk: what has been encoded of one output, so that a job that was killed goes on.
///
///     .NAME.vtx-journal/
///       lock              held by the process that writes
///       header.json       the task, its source, the versions that write
///       video-0.gops      coded frames, closed GOP after closed GOP
///       video-0.index     one record a GOP
///       finished.json     the output is whole: what it is known by
///       mark              what is wrong with the source has to be found out once more
///
/// With segments there is one `video-N` for each.
package final class JournalDirectory: Sendable {
    package let path: String
    /// Ends with the process, however that ends.
    private let lock: FileDescriptor

    private init(_ path: String, _ lock: consuming FileDescriptor) {
        self.path = path
        self.lock = lock
    }

    package static func exists(_ path: String) -> Bool { FileStatus("\(path)/header.json") != nil }

    /// Nothing has been committed to it for a day. It is looked at without its lock, which a writer may be about to take.
    package static func isForgotten(_ path: String) -> Bool {
        guard let status = FileStatus("\(path)/video-0.index") ?? FileStatus(path) else { return false }
        return Int64(time(nil)) - status.modificationTime / 1_000_000_000 > 24 * 60 * 60
    }

    /// Opens a journal, or makes an empty one.
    ///
    /// - Parameter timeout: for another process that is about to end, or only looks.
    /// - Throws: `.busy` where another process writes it.
    package static func open(
        _ path: String, timeout: LockTimeout = .none
    ) throws(JournalError) -> JournalDirectory {
        let opened = try timeout.wait { () throws(JournalError) in try openUnlocked(path) }
        guard let opened else { throw .busy(path: path) }
        return opened
    }

    /// - Returns: nil where another process has it.
    private static func openUnlocked(_ path: String) throws(JournalError) -> JournalDirectory? {
        if mkdir(path, 0o777) != 0, errno != EEXIST { throw .system(path: path, SystemError("mkdir", errno)) }
        guard FileStatus(path, followsLinks: false)?.kind == .directory else { throw .notADirectory(path: path) }
        let name = "\(path)/lock"
        let lock = try reportingErrors(of: path) { () throws(SystemError) in
            try FileDescriptor(opening: name, O_RDWR | O_CREAT | O_NOFOLLOW)
        }
        // Its process may have removed the journal between our open and our lock.
        guard lock.lock(), FileIdentity(name) == lock.status?.identity else { return nil }
        return JournalDirectory(path, lock)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Something about the frames has to be found out once more by the next run.
    package var isMarked: Bool { FileStatus(file("mark")) != nil }

    package func mark() throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            _ = try FileDescriptor(opening: file("mark"), O_WRONLY | O_CREAT | O_NOFOLLOW)
            try Directory.synchronize(path)
        }
    }

    /// The header and the names are written through to the disk; what is in a shard is its writer's business.
    package func synchronize() throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            if Self.exists(path) { try FileDescriptor(opening: file("header.json")).synchronize() }
            try Directory.synchronize(path)
        }
        // A file system that cannot do this has done what it can.
        try? Directory.synchronize(FileName.directory(of: path).directory)
    }

    /// Starts over: only the lock stays.
    package func empty() {
        for name in Directory.names(in: path) where name != "lock" { unlink(file(name)) }
    }

    /// Removes the journal; the job is complete, or its user does not want it any more.
    package func remove() {
        // What says that the output is in place goes after the frames; the lock last: who gets it has an empty journal.
        let marks = ["header.json", "finished.json", "lock"]
        for name in Directory.names(in: path) where !marks.contains(name) { unlink(file(name)) }
        for name in marks { unlink(file(name)) }
        Directory.removeTree(path)
    }

    package var byteCount: Int64 {
        Directory.names(in: path).reduce(0) { $0 + (FileStatus(file($1))?.byteCount ?? 0) }
    }
}

/// Why a journal cannot be used.
package enum JournalError: Error, Sendable, Hashable {
    case busy(path: String)
    case notADirectory(path: String)
    /// The header is missing or unreadable: nothing can be resumed from it.
    case damagedHeader(path: String, reason: String)
    /// Another version of vtx has written it, and can go on with it.
    case otherFormat(path: String, version: Int)
    /// The same, in this format: what it was asked for is said in another way.
    case otherTask(path: String, versions: [String: String])
    case system(path: String, SystemError)
}

/// Has a failed call to the system reported with the file that it was about.
func reportingErrors<Result: ~Copyable>(
    of path: String, _ body: () throws(SystemError) -> Result
) throws(JournalError) -> Result {
    do throws(SystemError) { return try body() } catch { throw .system(path: path, error) }
}
