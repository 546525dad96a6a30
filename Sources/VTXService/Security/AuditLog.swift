import Glibc
import VTXJSON
import VTXJobs
import VTXSystem

/// The audit log: a line of JSON for each request that changes something or was rejected.
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

    /// - Parameter path: The file. The previous one gets the suffix `.1`.
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

/// The server's own messages, one per line on standard error, as systemd and containers collect them.
enum Log {
    static func info(_ message: String) { write("6", message) }
    static func warning(_ message: String) { write("4", message) }
    static func error(_ message: String) { write("3", message) }

    /// Whether systemd reads the output. Lines then begin with a priority, otherwise with a time for people.
    private static let isUnderSystemd = getenv("JOURNAL_STREAM") != nil

    private static func write(_ priority: String, _ message: String) {
        let front = isUnderSystemd ? "<\(priority)>vtx: " : "\(Timestamp.now) vtx: "
        try? FileDescriptor.writeAll(
            Array((front + message.escapingControls + "\n").utf8).span.bytes, to: STDERR_FILENO)
    }
}

extension String {
    /// Escapes control characters, so that file names and library messages cannot control a terminal or fake a line.
    var escapingControls: String {
        String(
            unicodeScalars.map { scalar -> String in
                let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
                return isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
            }.joined())
    }
}
