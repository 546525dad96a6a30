import Glibc
import VTXTranscode

/// The unfinished file that a worker writes before its output has its own name, seen from outside.
struct PartialFile {
    let output: String
    private let path: String
    /// Which file it is, whatever its name; nil while there is none.
    private var identity: FileIdentity?

    /// - Parameter output: the output's own name; `docs/use.md` says where the unfinished file is.
    init(of output: String) {
        self.output = output
        path = PartialName.path(for: output)
    }

    /// Looks which file it is, while the worker has it.
    mutating func look() {
        identity = FileIdentity(path) ?? identity
    }

    /// Whether the file that the worker wrote has the output's name by now.
    var isInPlace: Bool { identity != nil && FileIdentity(output) == identity }

    /// Removes it.
    /// - Parameter isAbandoned: the worker is still there and never comes back; its lock means nothing.
    func remove(isAbandoned: Bool) {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Another vtx may have begun the same output in the meantime; its lock says so.
        let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        guard isFree || isAbandoned, let named = FileIdentity(path), named == FileIdentity(descriptor),
            isFree || named == identity
        else { return }
        unlink(path)
    }
}

/// The file behind a name or a descriptor.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }

    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }
}
