import Glibc

/// What to do when an output's name is taken.
package enum OverwritePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// End with an error.
    case refuse
    /// Leave the existing file alone, and call that a success.
    case skip
    /// Replace it once the new file is complete and checked.
    case replace
}

/// A file that appears under its name only when it is complete: written under a name beside the final one, renamed at
/// the end.
///
/// Life: `reserve`, then something writes to `openedPath`, then `commit` or `discard`. A process that was killed leaves
/// a partial file; the next one for the same output takes it over.
package final class AtomicFile: Sendable {
    package let finalPath: String
    package let partialPath: String
    package let replaces: Bool
    /// Holds the lock on the partial file; other processes that want the same output see it.
    private let descriptor: FileDescriptor

    private init(_ finalPath: String, _ partialPath: String, replaces: Bool, _ descriptor: consuming FileDescriptor) {
        self.finalPath = finalPath
        self.partialPath = partialPath
        self.replaces = replaces
        self.descriptor = descriptor
    }

    /// Checks that the output can be written, and takes its partial name.
    ///
    /// - Parameters:
    ///   - source: a file that must not be touched, whatever its name is; nil for none.
    ///   - owners: users that an earlier run may have given the partial file to, beside this one.
    ///   - timeout: for a process that writes the output and has lost its owner.
    package static func reserve(
        _ path: String, replaces: Bool, source: String? = nil, owners: Set<UInt32> = [],
        timeout: LockTimeout = .none
    ) throws(AtomicFileError) -> AtomicFile {
        try checkDirectory(of: path)
        try checkName(path)
        let partial = partialPath(for: path)
        if let source { try checkDistinct(source: source, output: partial) }
        _ = finishCommit(of: path)
        let owners = owners.union([geteuid()])
        let descriptor = try timeout.wait { () throws(AtomicFileError) in try claim(partial, path, owners) }
        guard let descriptor else { throw .busy(path: path) }
        do throws(SystemError) { try descriptor.truncate(to: 0) } catch { throw .system(path: path, error) }
        return AtomicFile(path, partial, replaces: replaces, descriptor)
    }

    /// Makes sure that the file is ours alone.
    ///
    /// - Returns: nil where another process has it, and may soon be gone.
    private static func claim(
        _ partial: String, _ path: String, _ owners: Set<UInt32>
    ) throws(AtomicFileError) -> FileDescriptor? {
        // One that was killed had given it the permissions of a file that may not be written.
        if access(partial, W_OK) != 0, errno == EACCES, isLeftover(FileStatus(partial, followsLinks: false), owners) {
            unlink(partial)
        }
        let descriptor: FileDescriptor
        do throws(SystemError) {
            // A link of someone else's under this name must not lead the output elsewhere.
            descriptor = try FileDescriptor(opening: partial, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
        } catch { throw .system(path: path, error) }
        guard let opened = descriptor.status, isLeftover(opened, owners)
        else { throw .notPartialFile(path: path, partial: partial) }
        // Another process may have renamed the file between our open and our lock: then it is not ours to truncate.
        if descriptor.lock(), FileIdentity(partial) == opened.identity { return descriptor }
        if descriptor.isOwned { throw .busy(path: path) }
        return nil
    }

    private static func isLeftover(_ status: FileStatus?, _ owners: Set<UInt32>) -> Bool {
        guard let status else { return false }
        return status.kind == .regular && owners.contains(status.owner) && status.linkCount < 2
    }

    /// Leads to the opened file itself, whatever its name means by now.
    package var openedPath: String { descriptor.path }

    package func write(_ text: String) throws(AtomicFileError) { try write(Array(text.utf8)) }

    package func write(_ bytes: [UInt8]) throws(AtomicFileError) {
        try write(bytes.span.bytes)
    }

    package func write(_ bytes: RawSpan) throws(AtomicFileError) {
        do throws(SystemError) { try descriptor.writeAll(bytes) } catch { throw .system(path: finalPath, error) }
    }

    /// Writes the file through to the disk.
    package func synchronize() throws(AtomicFileError) {
        do throws(SystemError) { try descriptor.synchronize() } catch { throw .system(path: finalPath, error) }
    }

    /// Gives the file what another one has beside its content.
    ///
    /// - Parameter isDone: the content is; before that it is the owner and what else this user may lack the right for.
    package func take(_ attributes: FileAttributes, isDone: Bool) throws(SystemError) {
        if isDone { try attributes.apply(to: descriptor) } else { try attributes.applyOwnership(to: descriptor) }
    }

    /// Gives the file its final name.
    ///
    /// - Parameter whenInPlace: called once the name is on the disk, before the partial name goes. As long as both names
    ///   are there, the next run sees that this one was done.
    package func commit(
        whenInPlace: () throws(AtomicFileError) -> Void = {}
    ) throws(AtomicFileError) {
        let isLinked = !replaces && link(partialPath, finalPath) == 0
        guard isLinked || moves() else {
            let error = SystemError("rename", errno)
            discard()
            throw error.code == EEXIST ? .exists(path: finalPath) : .system(path: finalPath, error)
        }
        // A file system that cannot do this has done what it can.
        try? Directory.synchronize(FileName.directory(of: finalPath).directory)
        defer { if isLinked { unlink(partialPath) } }
        try whenInPlace()
    }

    /// Removes what was written. What another process has put under the name by now stays.
    package func discard() {
        if FileIdentity(partialPath) == descriptor.status?.identity { unlink(partialPath) }
    }

    /// Writes a small file as a whole.
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

    /// A link fails where the name was taken in the meantime; a rename would replace the file there. On file systems
    /// without links, the name was free when the work began, and is looked at once more.
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

    /// - Returns: false where the file exists and is to be left alone.
    package static func isWanted(_ path: String, _ policy: OverwritePolicy) throws(AtomicFileError) -> Bool {
        guard exists(path) else { return true }
        try checkName(path)
        switch policy {
        case .replace: return true
        case .skip: return false
        case .refuse: throw .exists(path: path)
        }
    }

    /// - Throws: where both names lead to the same file, by whatever path or link.
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

    /// - Throws: where no file can have the name: another thing has it, or it is too long.
    package static func checkName(_ path: String) throws(AtomicFileError) {
        guard let status = FileStatus(path) else {
            // The partial name is cut short and fits; this one would fail when the work is done.
            if errno == ENAMETOOLONG { throw .system(path: path, SystemError("stat", ENAMETOOLONG)) }
            return
        }
        if status.kind == .directory { throw .isDirectory(path: path) }
        guard status.kind == .regular else { throw .notRegularFile(path: path) }
    }
}

/// Why a file cannot be written, or not under its name.
package enum AtomicFileError: Error, Sendable, Hashable {
    case exists(path: String)
    /// It is the source under another name.
    case isSource(path: String)
    case isDirectory(path: String)
    case notRegularFile(path: String)
    /// A directory that is to be replaced holds what vtx has not written.
    case foreignDirectory(path: String)
    /// What is under the partial name was not left by an earlier run.
    case notPartialFile(path: String, partial: String)
    /// Another process is writing it.
    case busy(path: String)
    /// The directory is not there, or is none.
    case directory(String, SystemError)
    case system(path: String, SystemError)
}
