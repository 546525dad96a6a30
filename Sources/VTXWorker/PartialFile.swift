import Glibc
import VTXSystem

/// The unfinished file that a worker writes before its output has its own name, seen from outside.
struct PartialFile {
    private let output: String
    private let path: String
    /// Which file it is, whatever its name; nil while there is none.
    private var identity: FileIdentity?

    /// - Parameter output: the output's own name; `docs/use.md` says where the unfinished file is.
    init(of output: String) {
        self.output = output
        path = AtomicFile.partialPath(for: output)
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
        guard let descriptor = try? FileDescriptor(opening: path, O_RDWR | O_NOFOLLOW | O_NONBLOCK) else { return }
        // Another vtx may have begun the same output in the meantime; its lock says so.
        let isFree = descriptor.lock()
        guard isFree || isAbandoned, let named = FileIdentity(path), named == descriptor.status?.identity,
            isFree || named == identity
        else { return }
        unlink(path)
    }
}
