import Glibc
import VTXJobs
import VTXSystem

/// The server's own messages, one a line on standard error, as systemd and containers collect them.
enum Log {
    static func info(_ message: String) { write("6", message) }
    static func warning(_ message: String) { write("4", message) }
    static func error(_ message: String) { write("3", message) }

    /// systemd reads a priority at the start of a line; people need a time there.
    private static let isUnderSystemd = getenv("JOURNAL_STREAM") != nil

    private static func write(_ priority: String, _ message: String) {
        let front = isUnderSystemd ? "<\(priority)>vtx: " : "\(Timestamp.now) vtx: "
        try? FileDescriptor.writeAll(
            Array((front + message.escapingControls + "\n").utf8).span.bytes, to: STDERR_FILENO)
    }
}

extension String {
    /// Names of files and messages of libraries must not steer a terminal, nor fake a line.
    var escapingControls: String {
        String(
            unicodeScalars.map { scalar -> String in
                let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
                return isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
            }.joined())
    }
}
