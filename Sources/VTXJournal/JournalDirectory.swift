import Glibc
package import VTXSystem

/// A journal on disk: the frames of an output encoded so far, so that a killed job can be resumed.
///
///     .NAME.vtx-journal/
///       lock              held by the process that writes
///       header.json       the task, the source, the versions of vtx and the encoder
///       video-0.gops      encoded frames, in closed GOPs
///       video-0.index     one record per GOP
///       devices.json      the devices of each stage so far
///       finished.json     identifies the finished output
///       mark              the source is damaged: its errors have to be counted again
///
/// A ladder has a `video-N` for each rendition, from the largest on.
package final class JournalDirectory: Sendable {
    package let path: String
    /// Released when the process ends, for whatever reason.
    private let lock: FileDescriptor

    private init(_ path: String, _ lock: consuming FileDescriptor) {
        self.path = path
        self.lock = lock
    }

    package static func exists(_ path: String) -> Bool { FileStatus("\(path)/header.json") != nil }

    /// Whether nothing has been committed for a day. Does not take the lock, which a writer may be about to take.
    package static func isForgotten(_ path: String) -> Bool {
        guard let status = FileStatus("\(path)/video-0.index") ?? FileStatus(path) else { return false }
        return Int64(time(nil)) - status.modificationTime / 1_000_000_000 > 24 * 60 * 60
    }

    /// Opens a journal, or creates an empty one.
    ///
    /// - Parameter timeout: How long to wait for another process that is exiting or only reading.
    /// - Throws: `.busy` if another process holds the lock.
    package static func open(
        _ path: String, timeout: LockTimeout = .none
    ) throws(JournalError) -> JournalDirectory {
        let opened = try timeout.wait { () throws(JournalError) in try openUnlocked(path) }
        guard let opened else { throw .busy(path: path) }
        return opened
    }

    /// - Returns: nil if another process holds the lock.
    private static func openUnlocked(_ path: String) throws(JournalError) -> JournalDirectory? {
        if mkdir(path, 0o777) != 0, errno != EEXIST { throw .system(path: path, SystemError("mkdir", errno)) }
        guard FileStatus(path, followsLinks: false)?.kind == .directory else { throw .notADirectory(path: path) }
        let name = "\(path)/lock"
        let lock = try reportingErrors(of: path) { () throws(SystemError) in
            try FileDescriptor(opening: name, O_RDWR | O_CREAT | O_NOFOLLOW)
        }
        // The lock's holder may have removed the journal between our open and our lock.
        guard lock.lock(), FileIdentity(name) == lock.status?.identity else { return nil }
        return JournalDirectory(path, lock)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Replaces a file, which always has its old or its new text. Does not flush it.
    func replace(_ name: String, with text: String) throws(SystemError) {
        let path = file(name)
        let new = try FileDescriptor(opening: path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        try new.writeAll(text + "\n")
        guard rename(path + ".new", path) == 0 else { throw SystemError("rename", errno) }
    }

    /// Whether the source has corrupt video. The next run then decodes it again to report the errors.
    package var isMarked: Bool { FileStatus(file("mark")) != nil }

    package func mark() throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            _ = try FileDescriptor(opening: file("mark"), O_WRONLY | O_CREAT | O_NOFOLLOW)
            try Directory.synchronize(path)
        }
    }

    /// Flushes the header and the directory entries to the disk. Shards are flushed by their writers.
    package func synchronize() throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            if Self.exists(path) { try FileDescriptor(opening: file("header.json")).synchronize() }
            try Directory.synchronize(path)
        }
        // Not every file system supports this.
        try? Directory.synchronize(FileName.directory(of: path).directory)
    }

    /// Removes the journal when the job is complete or its user discards it.
    package func remove() {
        // Until nothing else is left, `finished.json` tells the next run that the output is complete.
        let marks = ["header.json", "lock", "finished.json"]
        for name in Directory.names(in: path) where !marks.contains(name) { unlink(file(name)) }
        for name in marks { unlink(file(name)) }
        // Not with its contents: the next holder may have begun.
        rmdir(path)
    }

    package var byteCount: Int64 { Directory.byteCount(path) }
}

/// Why a journal cannot be used.
package enum JournalError: Error, Sendable, Hashable {
    case busy(path: String)
    case notADirectory(path: String)
    /// The header is missing or unreadable, so the job cannot be resumed.
    case damagedHeader(path: String, reason: String)
    /// The journal has another version of the format; the vtx that wrote it can resume it.
    case otherFormat(path: String, version: Int)
    /// The journal has this format, but its task cannot be read; the version that wrote it can resume it.
    case otherTask(path: String, versions: [String: String])
    case system(path: String, SystemError)
}

/// Adds the file's path to the error of a system call.
func reportingErrors<Result: ~Copyable>(
    of path: String, _ body: () throws(SystemError) -> Result
) throws(JournalError) -> Result {
    do throws(SystemError) { return try body() } catch { throw .system(path: path, error) }
}
