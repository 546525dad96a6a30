import CSystem
import Glibc

/// A directory that confines untrusted paths: neither `..` nor symbolic links can leave it, which the kernel enforces
/// while opening (C: `openat2` with `RESOLVE_BENEATH`).
package final class RootDirectory: Sendable {
    /// Without symbolic links.
    package let path: String
    /// A directory below it that is not part of it; without symbolic links.
    private let excluded: String?
    private let descriptor: FileDescriptor

    /// - Parameter excluded: Without symbolic links. It counts only below this directory: one that lies in it is wanted.
    package init(_ path: String, excluding excluded: String? = nil) throws(SystemError) {
        let descriptor = try FileDescriptor(opening: path, O_PATH | O_DIRECTORY)
        let real = TextFile.linkTarget(descriptor.path) ?? path
        self.excluded = excluded.flatMap { $0.hasPrefix(real == "/" ? "/" : real + "/") ? $0 : nil }
        self.path = real
        self.descriptor = descriptor
    }

    /// Opens a file below the directory.
    ///
    /// - Parameter relativePath: Empty for the directory itself.
    /// - Throws: `EXDEV` for a path that leads out, or into the excluded directory; else the error of open(2).
    package func open(
        _ relativePath: String, _ flags: Int32 = O_RDONLY, permissions: UInt32 = 0o666
    ) throws(SystemError) -> FileDescriptor {
        let path = relativePath.isEmpty ? "." : relativePath
        // O_TMPFILE includes O_DIRECTORY. The kernel rejects a mode if nothing is created.
        let creates = flags & O_CREAT != 0 || flags & O_TMPFILE == O_TMPFILE
        let mode = creates ? permissions : 0
        while true {
            let number = system_open_beneath(descriptor.number, path, UInt64(flags | O_CLOEXEC), mode)
            if number >= 0 { return try checked(FileDescriptor(owning: number), path) }
            // EAGAIN: something was renamed during the lookup.
            guard errno == EINTR || errno == EAGAIN else { throw SystemError("open '\(relativePath)'", errno) }
        }
    }

    /// Whatever its path was, an open file tells where it is.
    private func checked(_ file: consuming FileDescriptor, _ path: String) throws(SystemError) -> FileDescriptor {
        guard let excluded else { return file }
        let real = TextFile.linkTarget(file.path) ?? "\(self.path)/\(path)"
        guard real != excluded, !real.hasPrefix(excluded + "/") else { throw SystemError("open '\(path)'", EXDEV) }
        return file
    }

    /// Returns the real path of a file below the directory, without symbolic links.
    package func realPath(_ relativePath: String) throws(SystemError) -> String {
        let file = try open(relativePath, O_PATH)
        return TextFile.linkTarget(file.path) ?? "\(path)/\(relativePath)"
    }
}

/// An open directory. Operations on its names affect this directory, whatever its path now refers to.
package struct OpenDirectory: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// - Parameter descriptor: A directory opened for reading.
    package init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    package init(_ path: String) throws(SystemError) {
        descriptor = try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
    }

    /// The path without symbolic links.
    package var path: String { TextFile.linkTarget(descriptor.path) ?? descriptor.path }

    /// A path to this directory, whatever its name now refers to.
    package var openedPath: String { descriptor.path }

    /// Returns the status of a name; nil if it does not exist. Links are not followed.
    package func status(_ name: String) -> FileStatus? {
        guard let file = try? open(name, O_PATH | O_NOFOLLOW) else { return nil }
        return file.status
    }

    package func open(_ name: String, _ flags: Int32, permissions: UInt32 = 0o666) throws(SystemError) -> FileDescriptor
    {
        let number = openat(descriptor.number, name, flags | O_CLOEXEC, permissions)
        guard number >= 0 else { throw SystemError("open '\(name)'", errno) }
        return FileDescriptor(owning: number)
    }

    package func rename(_ name: String, to newName: String, replaces: Bool) throws(SystemError) {
        if replaces {
            guard renameat(descriptor.number, name, descriptor.number, newName) == 0 else {
                throw SystemError("rename '\(newName)'", errno)
            }
            return
        }
        if system_rename_exclusively(descriptor.number, name, newName) == 0 { return }
        // A file system without this operation may support links.
        guard errno == EINVAL, linkat(descriptor.number, name, descriptor.number, newName, 0) == 0 else {
            throw SystemError("rename '\(newName)'", errno)
        }
        unlinkat(descriptor.number, name, 0)
    }

    /// Renames a directory. An empty directory with the new name is replaced.
    ///
    /// - Parameter aside: The name that another directory gets instead of the new name; nil if none may be replaced. If
    ///   the process is killed in between, it may be this directory's.
    package func renameDirectory(_ name: String, to newName: String, aside: String?) throws(SystemError) {
        if renameat(descriptor.number, name, descriptor.number, newName) == 0 { return }
        guard let aside, [EEXIST, ENOTEMPTY].contains(errno) else { throw SystemError("rename '\(newName)'", errno) }
        try move(name, to: aside)
        if system_exchange(descriptor.number, aside, newName) == 0 { return }
        let error = SystemError("rename '\(newName)'", errno)
        try move(aside, to: name)
        // Network file systems cannot exchange two names.
        guard error.code == EINVAL else { throw error }
        try move(newName, to: aside)
        do throws(SystemError) { try move(name, to: newName) } catch {
            try? move(aside, to: newName)
            throw error
        }
    }

    /// Renames a file or a directory, in this directory.
    package func move(_ name: String, to newName: String) throws(SystemError) {
        guard renameat(descriptor.number, name, descriptor.number, newName) == 0 else {
            throw SystemError("rename '\(newName)'", errno)
        }
    }

    package func remove(_ name: String) { unlinkat(descriptor.number, name, 0) }

    package func makeDirectory(_ name: String) throws(SystemError) {
        guard mkdirat(descriptor.number, name, 0o777) == 0 || errno == EEXIST else {
            throw SystemError("mkdir '\(name)'", errno)
        }
    }

    /// Writes its names to the disk. Ignored by file systems without support.
    package func synchronize() { fsync(descriptor.number) }
}
