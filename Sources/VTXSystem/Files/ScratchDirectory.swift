import Glibc

/// A private directory below `TMPDIR` or /tmp, removed with its owner. What a killed process has left is removed when
/// the next one is made.
package final class ScratchDirectory: Sendable {
    package let path: String
    /// Holds the lock that shows other processes that it is in use.
    private let descriptor: FileDescriptor
    private static let maxAttempts = 5

    package init(_ prefix: String) throws(SystemError) {
        Self.removeLeftovers(prefix)
        var code = EAGAIN
        for _ in 0..<Self.maxAttempts {
            let path = try Directory.makeTemporary(prefix)
            // Another process may just have taken it for a leftover.
            guard let descriptor = Self.locked(path) else {
                code = errno
                rmdir(path)
                continue
            }
            self.path = path
            self.descriptor = descriptor
            return
        }
        throw SystemError("flock in '\(Directory.temporary)'", code)
    }

    deinit { Directory.removeTree(path) }

    private static func removeLeftovers(_ prefix: String) {
        for name in Directory.names(in: Directory.temporary) where name.hasPrefix("\(prefix)-") {
            let path = "\(Directory.temporary)/\(name)"
            if let descriptor = locked(path) { withExtendedLifetime(descriptor) { Directory.removeTree(path) } }
        }
    }

    /// - Returns: nil if it is in use, gone, or another user's.
    private static func locked(_ path: String) -> FileDescriptor? {
        guard let descriptor = try? FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
            descriptor.status?.owner == geteuid(), descriptor.lock(),
            FileIdentity(path) == descriptor.status?.identity
        else { return nil }
        return descriptor
    }
}
