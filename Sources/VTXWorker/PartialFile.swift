import Glibc
import VTXSystem

/// The partial file of a worker, as seen by its owner.
struct PartialFile {
    private let output: String
    private let path: String
    /// The identity of the file, whatever its name; nil while there is none.
    private var identity: FileIdentity?
    private var mark: OwnerMark?

    /// - Parameter output: The output's final name; `docs/use.md` says where the partial file is.
    init(of output: String) {
        self.output = output
        path = AtomicFile.partialPath(for: output)
    }

    /// Identifies the file while the worker is writing it.
    mutating func look() {
        guard let found = FileIdentity(path), found != identity else { return }
        (identity, mark) = (found, OwnerMark(path))
    }

    /// Whether the worker's file now has the output's name.
    var isInPlace: Bool { identity != nil && FileIdentity(output) == identity }

    /// The size of the output if it is the worker's file; nil otherwise.
    var finishedByteCount: Int64? { isInPlace ? Directory.byteCount(output) : nil }

    /// Removes the file.
    /// - Parameter isAbandoned: Whether the worker still exists but hangs forever, so that its lock is ignored.
    func remove(isAbandoned: Bool) {
        let isDirectory = FileStatus(path, followsLinks: false)?.kind == .directory
        let access = isDirectory ? O_RDONLY | O_DIRECTORY : O_RDWR
        guard let descriptor = try? FileDescriptor(opening: path, access | O_NOFOLLOW | O_NONBLOCK) else { return }
        // Another vtx may have started the same output in the meantime; then it holds the lock.
        let isFree = descriptor.lock()
        guard isFree || isAbandoned, let named = FileIdentity(path), named == descriptor.status?.identity,
            isFree || named == identity
        else { return }
        if isDirectory { Directory.removeTree(path) } else { unlink(path) }
    }
}

/// Marks the file's writer as a worker with an owner. A process that finds the file locked, but not marked, waits for
/// the worker to exit.
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
