import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

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
