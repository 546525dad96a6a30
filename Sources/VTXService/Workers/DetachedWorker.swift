import CSystem
import Glibc
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// A job's worker: `vtx transcode` in a process that outlives the server.
///
/// It writes its records into a file, not into a pipe: the next server finds the process by its identity and reads on in
/// the file.
final class DetachedWorker: Sendable {
    /// What is written down of it.
    struct Identity: Sendable, Hashable, Codable {
        var process: Int32
        /// In clock ticks since the boot: a number that is used again belongs to another process.
        var startedAt: String
        /// The file with its records.
        var records: String
    }

    let identity: Identity
    private let process: FileDescriptor

    /// Starts it.
    ///
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - records: where its standard output goes; `.log` is added for its standard error.
    ///   - endsWithThis: it is told to stop when the thread that has started it ends.
    init(
        _ executable: String, _ arguments: [String], records: String, endsWithThis: Bool = false
    ) throws(SystemError) {
        var launch = Launch(executable: executable, arguments: ["vtx"] + arguments)
        if endsWithThis { launch.endsWithThisProcess() }
        let number = try launch.startAlone(output: records)
        process = try Self.open(number)
        identity = Identity(process: number, startedAt: Self.startTime(number) ?? "", records: records)
    }

    /// Finds one that runs; nil where it has ended.
    init?(_ identity: Identity) {
        guard let process = try? Self.open(identity.process), Self.startTime(identity.process) == identity.startedAt
        else { return nil }
        self.process = process
        self.identity = identity
    }

    /// Waits for its end, or until the time is over.
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

    /// Field 22 of proc(5)'s stat; the second one is a name that may have spaces.
    private static func startTime(_ number: pid_t) -> String? {
        guard let text = TextFile.read("/proc/\(number)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(separator: " ")
        return fields.count > 20 ? String(fields[20]) : nil
    }
}

/// Reads the records that a worker writes into a file, one JSON object a line, as they come.
struct RecordFile: ~Copyable {
    struct Record {
        var value: JSONValue
        /// Bytes of the file up to the end of its line.
        var end: Int64

        var isResult: Bool { value["type"]?.string == "result" }
    }

    private let file: FileDescriptor
    private var offset: Int64
    private var rest: [UInt8] = []

    /// - Parameter start: bytes that were read before.
    init(_ path: String, from start: Int64 = 0) throws(SystemError) {
        file = try FileDescriptor(opening: path, O_RDONLY)
        offset = start
    }

    /// What is new. A line without its end has to wait; one that is no JSON is left out.
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

/// What a worker's end means for its job.
struct WorkerResult {
    private let record: JSONValue?
    /// The file with its records.
    private let records: String
    private let isStopped: Bool

    /// - Parameter record: its result; nil for a worker that has told none.
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
        case "cancelled": throw Failure(.worker, "worker.stopped", "something has told the worker to end")
        default: throw failure(record)
        }
    }

    /// What the worker has told could not be written.
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

    /// What would help. The names of commands and files in `vtx resume` are the worker's own business.
    private static func hint(_ text: String?) -> String? {
        text?.contains("`vtx resume ") == true ? "a retry goes on where this attempt has ended" : text
    }

    /// The last lines that it has written for people.
    private var lastWords: [String] {
        let text = TextFile.read(records + ".log", limit: 1 << 20) ?? ""
        return text.split(separator: "\n").suffix(20).map { String($0.prefix(500)) }
    }

    /// The job's own file: the worker of a server that was killed has it, or has finished it meanwhile.
    private static func isBusy(_ code: String) -> Bool {
        [ErrorKind.outputBusy, .outputExists].contains { $0.rawValue == code }
    }
}

extension Failure {
    /// The disk of the service's state is full: that is no job's fault, and every job that comes would meet it.
    static func noSpace(for path: String) -> Failure {
        Failure(
            .busy, "store.full", "no space for '\(path)'", hint: "free some space on the disk of the service's state")
    }
}

extension Failure.Category {
    /// What the command's errors mean for a job.
    fileprivate init(_ category: ErrorKind.Category) {
        self =
            switch category {
            case .usage, .unsupported, .hardware: .request
            case .input, .capture: .source
            case .output: .output
            case .size, .fallback: .rule
            case .verification, .journal, .internal, .interrupted, .terminated: .worker
            }
    }
}

extension FinishedWork {
    fileprivate init(_ record: JSONValue) {
        self.init(
            frames: record["frames"]?.integer.map { Int($0) } ?? 0, duration: record["seconds"]?.number ?? 0,
            seconds: record["elapsedSeconds"]?.number ?? 0, notices: record["notices"]?.array?.count ?? 0,
            receipt: record)
        for (device, engines) in record["engineSeconds"]?.object ?? [:] {
            for (engine, seconds) in engines.object ?? [:] {
                engineSeconds[EngineID(DeviceName(device), engine)] = seconds.number
            }
        }
    }
}
