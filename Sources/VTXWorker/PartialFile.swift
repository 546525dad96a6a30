import Glibc
import VTXSystem

/// The unfinished file that a worker writes before its output has its own name, seen from outside.
struct PartialFile {
    private let output: String
    private let path: String
    /// Which file it is, whatever its name; nil while there is none.
    private var identity: FileIdentity?
    private var mark: OwnerMark?

    /// - Parameter output: the output's own name; `docs/use.md` says where the unfinished file is.
    init(of output: String) {
        self.output = output
        path = AtomicFile.partialPath(for: output)
    }

    /// Looks which file it is, while the worker has it.
    mutating func look() {
        guard let found = FileIdentity(path), found != identity else { return }
        (identity, mark) = (found, OwnerMark(path))
    }

    /// Whether the file that the worker wrote has the output's name by now.
    var isInPlace: Bool { identity != nil && FileIdentity(output) == identity }

    /// Removes it.
    /// - Parameter isAbandoned: the worker is still there and never comes back; its lock means nothing.
    func remove(isAbandoned: Bool) {
        let isDirectory = FileStatus(path, followsLinks: false)?.kind == .directory
        let access = isDirectory ? O_RDONLY | O_DIRECTORY : O_RDWR
        guard let descriptor = try? FileDescriptor(opening: path, access | O_NOFOLLOW | O_NONBLOCK) else { return }
        // Another vtx may have begun the same output in the meantime; its lock says so.
        let isFree = descriptor.lock()
        guard isFree || isAbandoned, let named = FileIdentity(path), named == descriptor.status?.identity,
            isFree || named == identity
        else { return }
        if isDirectory { Directory.removeTree(path) } else { unlink(path) }
    }
}

/// Tells other processes that the worker that writes a file has an owner: a process that finds the file
/// locked without it waits for the worker's end.
private final class OwnerMark: Sendable {
    private let descriptor: FileDescriptor

    init?(_ path: String) {
        guard let descriptor = try? FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
            return nil
        }
        descriptor.markOwned()
        self.descriptor = descriptor
    }
}
