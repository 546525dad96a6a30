import VTXJSON
import VTXJobs

/// What a worker's end means for its job.
struct WorkerResult {
    private let record: JSONValue?
    private let worker: WorkerCommand
    private let isStopped: Bool

    /// - Parameter record: its result; nil for a worker that has told none.
    init(_ record: JSONValue?, _ worker: WorkerCommand, _ control: RunControl) {
        self.record = record
        self.worker = worker
        isStopped = control.isStopped
    }

    /// - Throws: `Failure`, or `Stopped`.
    func finished() throws -> FinishedWork {
        guard let record else {
            if isStopped { throw Stopped() }
            throw Failure(
                .worker, "worker.died", "the worker ended without a result", evidence: worker.lastWords)
        }
        switch record["status"]?.string {
        case "completed", "incompleteSource": return FinishedWork(record)
        case "cancelled" where isStopped: throw Stopped()
        case "cancelled": throw Failure(.worker, "worker.stopped", "something has told the worker to end")
        default: throw failure(record)
        }
    }

    private func failure(_ record: JSONValue) -> Failure {
        let code = record["error"]?["code"]?.string ?? "worker.failed"
        let category = Self.category(code, exitCode: record["exitCode"]?.integer ?? 1)
        return Failure(
            category, code, record["error"]?["message"]?.string ?? "the worker has failed",
            hint: record["error"]?["hint"]?.string, evidence: category == .worker ? worker.lastWords : nil)
    }

    /// By the command's exit code; docs/use.md has the list.
    static func category(_ code: String, exitCode: Int64) -> Failure.Category {
        // The job's own file: the worker of a server that was killed has it, or has finished it meanwhile.
        if code == "output.busy" || code == "output.exists" { return .busy }
        switch exitCode {
        case 2, 4, 5: return .request
        case 3: return .source
        case 8: return .output
        case 10: return .rule
        default: return .worker
        }
    }
}

extension FinishedWork {
    fileprivate init(_ record: JSONValue) {
        self.init(
            frames: record["frames"]?.integer.map { Int($0) } ?? 0, duration: record["seconds"]?.number ?? 0,
            seconds: record["elapsedSeconds"]?.number ?? 0, notices: record["notices"]?.array?.count ?? 0,
            receipt: record)
    }
}
