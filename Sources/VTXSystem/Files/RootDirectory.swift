import CSystem
import Glibc

/// A directory beneath which paths of strangers lead: neither `..` nor a symbolic link gets out of it, and the kernel
/// sees to that while it opens (C: `openat2` with `RESOLVE_BENEATH`).
package final class RootDirectory: Sendable {
    /// Without symbolic links.
    package let path: String
    private let descriptor: FileDescriptor

    package init(_ path: String) throws(SystemError) {
        let descriptor = try FileDescriptor(opening: path, O_PATH | O_DIRECTORY)
        self.path = TextFile.linkTarget(descriptor.path) ?? path
        self.descriptor = descriptor
    }

    /// Opens a file beneath it.
    ///
    /// - Parameter relativePath: empty for the directory itself.
    /// - Throws: `EXDEV` for a path that leads out, else as open(2).
    package func open(
        _ relativePath: String, _ flags: Int32 = O_RDONLY, permissions: UInt32 = 0o666
    ) throws(SystemError) -> FileDescriptor {
        let path = relativePath.isEmpty ? "." : relativePath
        // O_TMPFILE includes O_DIRECTORY; the kernel refuses a mode where nothing is created.
        let creates = flags & O_CREAT != 0 || flags & O_TMPFILE == O_TMPFILE
        let mode = creates ? permissions : 0
        while true {
            let number = system_open_beneath(descriptor.number, path, UInt64(flags | O_CLOEXEC), mode)
            if number >= 0 { return FileDescriptor(owning: number) }
            // EAGAIN: something was renamed while the path was looked at.
            guard errno == EINTR || errno == EAGAIN else { throw SystemError("open '\(relativePath)'", errno) }
        }
    }

    /// Where a file beneath it really is, without symbolic links.
    package func realPath(_ relativePath: String) throws(SystemError) -> String {
        let file = try open(relativePath, O_PATH)
        return TextFile.linkTarget(file.path) ?? "\(path)/\(relativePath)"
    }
}
