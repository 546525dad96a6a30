import CSystem
import Glibc
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// The worker of a job: a `vtx transcode` process that outlives the server.
///
/// It writes its records to a file instead of a pipe: the next server finds the process by its identity and continues
/// reading the file.
final class DetachedWorker: Sendable {
    /// The stored identity of the process.
    struct Identity: Sendable, Hashable, Codable {
        var process: Int32
        /// In clock ticks since the boot: a process with the same id and another start time is another process.
        var startedAt: String
        /// The file with its records.
        var records: String
    }

    let identity: Identity
    private let process: FileDescriptor

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - records: The file for its standard output. Its standard error goes to the same name with `.log` appended.
    ///   - endsWithThis: Whether it is told to stop when the thread that started it ends.
    init(
        _ executable: String, _ arguments: [String], records: String, endsWithThis: Bool = false
    ) throws(SystemError) {
        var launch = Launch(executable: executable, arguments: ["vtx"] + arguments)
        if endsWithThis { launch.endsWithThisProcess() }
        let number = try launch.startAlone(output: records)
        process = try Self.open(number)
        identity = Identity(process: number, startedAt: Self.startTime(number) ?? "", records: records)
    }

    /// Finds a running process; nil if it has ended.
    init?(_ identity: Identity) {
        guard let process = try? Self.open(identity.process), Self.startTime(identity.process) == identity.startedAt
        else { return nil }
        self.process = process
        self.identity = identity
    }

    /// Waits for the end of the process, or for the timeout.
    ///
    /// - Returns: whether it has ended.
    func hasEnded(within seconds: Double) -> Bool {
        var polled = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, Int32(seconds * 1000)) > 0 else { return false }
        waitpid(identity.process, nil, WNOHANG)
        return true
    }

    func send(_ signal: Int32) { _ = system_signal_process(process.number, signal) }

    private static func open(_ number: pid_t) throws(SystemError) -> FileDescriptor {
        let descriptor = system_open_process(number)
        guard descriptor >= 0 else { throw SystemError("pidfd_open", errno) }
        return FileDescriptor(owning: descriptor)
    }

    /// Returns field 22 of proc(5)'s stat. The second field is a name that may contain spaces.
    private static func startTime(_ number: pid_t) -> String? {
        guard let text = TextFile.read("/proc/\(number)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(separator: " ")
        return fields.count > 20 ? String(fields[20]) : nil
    }
}

/// Reads the records that a worker writes to a file, one JSON object per line, as they arrive.
struct RecordFile: ~Copyable {
    struct Record {
        var value: JSONValue
        /// The offset of the end of its line.
        var end: Int64

        var isResult: Bool { value["type"]?.string == "result" }
    }

    private let file: FileDescriptor
    private var offset: Int64
    private var rest: [UInt8] = []

    /// - Parameter start: The number of bytes read before.
    init(_ path: String, from start: Int64 = 0) throws(SystemError) {
        file = try FileDescriptor(opening: path, O_RDONLY)
        offset = start
    }

    /// Returns the new records. An incomplete line waits; one that is not JSON is skipped.
    mutating func read() -> [Record] {
        while let bytes = try? file.read(at: offset, upTo: 1 << 16), !bytes.isEmpty {
            offset += Int64(bytes.count)
            rest += bytes
        }
        guard let last = rest.lastIndex(of: newline) else { return [] }
        var end = offset - Int64(rest.count)
        let records = rest[..<last].split(separator: newline, omittingEmptySubsequences: false).compactMap { line in
            end += Int64(line.count) + 1
            return (try? JSONValue(parsing: Array(line))).map { Record(value: $0, end: end) }
        }
        rest.removeSubrange(...last)
        return records
    }
}

private let newline = UInt8(ascii: "\n")
