import Glibc

/// What to do if the output exists.
package enum OverwritePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Fail.
    case refuse
    /// Keep the existing file and succeed.
    case skip
    /// Replace it once the new file is complete and checked.
    case replace
}

/// A file that gets its name only when it is complete. It is written under another name next to the final one, and
/// renamed at the end.
///
/// Life cycle: `reserve`, writing to `openedPath`, then `commit` or `discard`. A killed process leaves a partial file,
/// which the next one for the same output takes over.
package final class AtomicFile: Sendable {
    package let finalPath: String
    package let partialPath: String
    package let replaces: Bool
    /// Holds the lock on the partial file, which is visible to other processes that want the same output.
    private let descriptor: FileDescriptor

    private init(_ finalPath: String, _ partialPath: String, replaces: Bool, _ descriptor: consuming FileDescriptor) {
        self.finalPath = finalPath
        self.partialPath = partialPath
        self.replaces = replaces
        self.descriptor = descriptor
    }

    /// Checks that the output can be written, and creates the partial file.
    ///
    /// - Parameters:
    ///   - source: A file that must not be changed, under any name; nil for none.
    ///   - owners: Other users to which an earlier run may have given the partial file.
    ///   - timeout: How long to wait for a process that writes the output but has lost its owner.
    package static func reserve(
        _ path: String, replaces: Bool, source: String? = nil, owners: Set<UInt32> = [],
        timeout: LockTimeout = .none
    ) throws(AtomicFileError) -> AtomicFile {
        try checkDirectory(of: path)
        try checkName(path)
        let partial = partialPath(for: path)
        if let source { try checkDistinct(source: source, leftover: partial) }
        _ = finishCommit(of: path)
        // The output of the killed run was a directory.
        AtomicDirectory.removeLeftover(at: partial)
        let owners = owners.union([geteuid()])
        let descriptor = try timeout.wait { () throws(AtomicFileError) in try claim(partial, path, owners) }
        guard let descriptor else { throw .busy(path: path) }
        do throws(SystemError) { try descriptor.truncate(to: 0) } catch { throw .system(path: path, error) }
        return AtomicFile(path, partial, replaces: replaces, descriptor)
    }

    /// Locks the partial file.
    ///
    /// - Returns: nil if another process has locked it, and may soon exit.
    private static func claim(
        _ partial: String, _ path: String, _ owners: Set<UInt32>
    ) throws(AtomicFileError) -> FileDescriptor? {
        // A killed process had given it the permissions of a read-only file.
        if access(partial, W_OK) != 0, errno == EACCES, isLeftover(FileStatus(partial, followsLinks: false), owners) {
            unlink(partial)
        }
        let descriptor: FileDescriptor
        do throws(SystemError) {
            // Another user's symbolic link with this name must not redirect the output.
            descriptor = try FileDescriptor(opening: partial, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
        } catch { throw .system(path: path, error) }
        guard let opened = descriptor.status, isLeftover(opened, owners)
        else { throw .notPartialFile(path: path, partial: partial) }
        // If another process has renamed the file between opening and locking it, do not truncate it.
        if descriptor.lock(), FileIdentity(partial) == opened.identity { return descriptor }
        if descriptor.isOwned { throw .busy(path: path) }
        return nil
    }

    private static func isLeftover(_ status: FileStatus?, _ owners: Set<UInt32>) -> Bool {
        guard let status else { return false }
        return status.kind == .regular && owners.contains(status.owner) && status.linkCount < 2
    }

    /// A path to the open file, whatever its name now refers to.
    package var openedPath: String { descriptor.path }

    package func write(_ text: String) throws(AtomicFileError) { try write(Array(text.utf8)) }

    package func write(_ bytes: [UInt8]) throws(AtomicFileError) {
        try write(bytes.span.bytes)
    }

    package func write(_ bytes: RawSpan) throws(AtomicFileError) {
        do throws(SystemError) { try descriptor.writeAll(bytes) } catch { throw .system(path: finalPath, error) }
    }

    /// Writes the file to the disk.
    package func synchronize() throws(AtomicFileError) {
        do throws(SystemError) { try descriptor.synchronize() } catch { throw .system(path: finalPath, error) }
    }

    /// Applies another file's attributes.
    ///
    /// - Parameter isDone: Whether the content is complete. Before, only the owner and other attributes that require
    ///   privileges are set.
    package func take(_ attributes: FileAttributes, isDone: Bool) throws(SystemError) {
        if isDone { try attributes.apply(to: descriptor) } else { try attributes.applyOwnership(to: descriptor) }
    }

    /// Renames the file to its final name.
    ///
    /// - Parameter whenInPlace: Called when the name is on the disk, before the partial name is removed. While both
    ///   names exist, the next run recognizes that this one was done.
    package func commit(
        whenInPlace: () throws(AtomicFileError) -> Void = {}
    ) throws(AtomicFileError) {
        let isLinked = !replaces && link(partialPath, finalPath) == 0
        guard isLinked || moves() else {
            let error = SystemError("rename", errno)
            discard()
            throw error.code == EEXIST ? .exists(path: finalPath) : .system(path: finalPath, error)
        }
        // Ignored: not all file systems support it.
        try? Directory.synchronize(FileName.directory(of: finalPath).directory)
        defer { if isLinked { unlink(partialPath) } }
        try whenInPlace()
    }

    /// Removes the partial file, unless another process has replaced it.
    package func discard() {
        if FileIdentity(partialPath) == descriptor.status?.identity { unlink(partialPath) }
    }

    /// Writes a small file atomically.
    package static func write(_ text: String, to path: String, replaces: Bool) throws(AtomicFileError) {
        try write(Array(text.utf8), to: path, replaces: replaces)
    }

    package static func write(_ bytes: [UInt8], to path: String, replaces: Bool) throws(AtomicFileError) {
        let file = try reserve(path, replaces: replaces)
        do throws(AtomicFileError) {
            try file.write(bytes)
            try file.synchronize()
        } catch {
            file.discard()
            throw error
        }
        try file.commit()
    }

    /// Gives the file its final name. A link fails if the name was taken in the meantime, whereas a rename would
    /// replace that file. On file systems without links, the name is checked once more.
    private func moves() -> Bool {
        guard replaces || errno != EEXIST && !Self.exists(finalPath) else {
            errno = EEXIST
            return false
        }
        return rename(partialPath, finalPath) == 0
    }
}

// MARK: Checks

extension AtomicFile {
    package static func exists(_ path: String) -> Bool { FileStatus(path, followsLinks: false) != nil }

    /// - Returns: false if the file exists and must not be changed.
    package static func isWanted(_ path: String, _ policy: OverwritePolicy) throws(AtomicFileError) -> Bool {
        guard exists(path) else { return true }
        try checkName(path)
        switch policy {
        case .replace: return true
        case .skip: return false
        case .refuse: throw .exists(path: path)
        }
    }

    /// - Throws: if both paths lead to the same file, by any path or link.
    package static func checkDistinct(source: String, output: String) throws(AtomicFileError) {
        guard let source = FileStatus(source), source.identity == FileStatus(output)?.identity else { return }
        throw .isSource(path: output)
    }

    static func checkDirectory(of path: String) throws(AtomicFileError) {
        let directory = FileName.directory(of: path).directory
        guard let status = FileStatus(directory) else {
            throw .directory(directory, SystemError("stat", errno))
        }
        guard status.kind == .directory else { throw .directory(directory, SystemError("stat", ENOTDIR)) }
    }

    /// - Throws: if no file can have the name: it is taken by something else, or too long.
    package static func checkName(_ path: String) throws(AtomicFileError) {
        guard let status = FileStatus(path) else {
            // The partial name is shortened and fits, but the final name would fail when the work is done.
            if errno == ENAMETOOLONG { throw .system(path: path, SystemError("stat", ENAMETOOLONG)) }
            return
        }
        if status.kind == .directory { throw .isDirectory(path: path) }
        guard status.kind == .regular else { throw .notRegularFile(path: path) }
    }
}

/// Why a file cannot be written.
package enum AtomicFileError: Error, Sendable, Hashable {
    case exists(path: String)
    /// The output is the source under another name.
    case isSource(path: String)
    /// The output is a directory with the source in it.
    case containsSource(path: String)
    case isDirectory(path: String)
    case notRegularFile(path: String)
    /// A directory to be replaced contains files that vtx has not written.
    case foreignDirectory(path: String)
    /// No other directory can be renamed to the path.
    case fixedDirectory(path: String)
    /// The file with the partial name was not left by an earlier run.
    case notPartialFile(path: String, partial: String)
    /// Another process is writing it.
    case busy(path: String)
    /// The directory does not exist, or is not a directory.
    case directory(String, SystemError)
    case system(path: String, SystemError)
    /// The output is in place, but the source that it replaces cannot be removed.
    case sourceNotRemoved(path: String, output: String, SystemError)
}
