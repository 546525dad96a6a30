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

/// The consequence of a worker's end for its job.
struct WorkerResult {
    private let record: JSONValue?
    /// The file with its records.
    private let records: String
    private let isStopped: Bool

    /// - Parameter record: The worker's result; nil if it has none.
    init(_ record: JSONValue?, in records: String, isStopped: Bool) {
        self.record = record
        self.records = records
        self.isStopped = isStopped
    }

    /// - Throws: `Failure`, or `Stopped`.
    func finished() throws -> FinishedWork {
        guard let record else {
            if isStopped { throw Stopped() }
            if isFull { throw Failure.noSpace(for: records) }
            throw Failure(
                .worker, "worker.died", "the worker ended without a result", evidence: lastWords)
        }
        switch record["status"]?.string {
        case "completed", "incompleteSource": return FinishedWork(record)
        case "cancelled" where isStopped: throw Stopped()
        case "cancelled": throw Failure(.worker, "worker.stopped", "the worker was told to stop by another process")
        default: throw failure(record)
        }
    }

    /// Whether the worker's records could not be written.
    private var isFull: Bool {
        let directory = FileName.directory(of: records).directory
        return Directory.availableBytes(directory).map { $0 < 65536 } ?? false
    }

    private func failure(_ record: JSONValue) -> Failure {
        let code = record["error"]?["code"]?.string ?? "worker.failed"
        let kind = record["error"]?["category"]?.string.flatMap(ErrorKind.Category.init)
        let category = Self.isBusy(code) ? .busy : Failure.Category(kind ?? .internal)
        return Failure(
            category, code, record["error"]?["message"]?.string ?? "the worker has failed",
            hint: Self.hint(record["error"]?["hint"]?.string), evidence: category == .worker ? lastWords : nil)
    }

    /// Returns the hint. Commands and file names in `vtx resume` are internal to the worker.
    private static func hint(_ text: String?) -> String? {
        text?.contains("`vtx resume ") == true ? "a retry resumes where this attempt ended" : text
    }

    /// The last lines of its messages.
    private var lastWords: [String] {
        let text = TextFile.read(records + ".log", limit: 1 << 20) ?? ""
        return text.split(separator: "\n").suffix(20).map { String($0.prefix(500)) }
    }

    /// Whether the job's file is in use: the worker of a killed server has it, or has finished meanwhile.
    private static func isBusy(_ code: String) -> Bool {
        [ErrorKind.outputBusy, .outputExists].contains { $0.rawValue == code }
    }
}

extension Failure {
    /// The error for a full disk of the service's state. No job is at fault, and every new job would fail as well.
    static func noSpace(for path: String) -> Failure {
        Failure(
            .busy, "store.full", "no space for '\(path)'", hint: "free some space on the disk of the service's state")
    }
}

extension Failure.Category {
    /// Converts an error category of the command.
    fileprivate init(_ category: ErrorKind.Category) {
        self =
            switch category {
            case .usage, .unsupported, .hardware: .request
            case .input, .capture: .source
            case .output: .output
            case .size, .fallback: .rule
            case .verification: .verification
            case .journal, .internal, .interrupted, .terminated: .worker
            }
    }
}

extension FinishedWork {
    fileprivate init(_ record: JSONValue) {
        self.init(
            frames: record["frames"]?.integer.map { Int($0) } ?? 0, duration: record["seconds"]?.number ?? 0,
            seconds: record["elapsedSeconds"]?.number ?? 0, notices: record["notices"]?.array?.count ?? 0,
            outcome: record["status"]?.string.flatMap(JobResult.Outcome.init), receipt: record)
        for (device, engines) in record["engineSeconds"]?.object ?? [:] {
            for (engine, seconds) in engines.object ?? [:] {
                engineSeconds[EngineID(DeviceName(device), engine)] = seconds.number
            }
        }
    }
}
