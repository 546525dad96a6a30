import Glibc
import VTXJSON
import VTXJobs
import VTXSystem

/// Who did what: a line of JSON for each request that changes something or was refused.
final class AuditLog: Sendable {
    private let path: String
    private let file: Locked<SharedLog?>
    private static let maxBytes: Int64 = 64 << 20

    private final class SharedLog: Sendable {
        let descriptor: FileDescriptor
        init(_ path: String) throws(SystemError) {
            descriptor = try FileDescriptor(
                opening: path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, permissions: 0o600)
        }
    }

    /// - Parameter path: the file; the one before it gets `.1`.
    init(_ path: String) {
        self.path = path
        file = Locked(nil)
    }

    func note(_ caller: Caller, _ address: String, _ operation: String, _ target: String, _ status: Int) {
        let line = JSONValue.object([
            "time": .string(Timestamp.now.description), "caller": .string(caller.name), "address": .string(address),
            "operation": .string(operation), "target": .string(target), "status": .integer(Int64(status)),
        ]).text
        file.withLock { file in
            if file == nil { file = try? SharedLog(path) }
            if let size = file?.descriptor.status?.byteCount, size > Self.maxBytes {
                rename(path, path + ".1")
                file = try? SharedLog(path)
            }
            // A full disk must not stop the service for its log.
            try? file?.descriptor.writeAll(line + "\n")
        }
    }
}
