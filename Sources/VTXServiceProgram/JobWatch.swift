import Glibc
import VTXCommand
import VTXHTTP
import VTXJSON
import VTXJobs

/// Follows a job through its events.
struct JobWatch {
    private let client: ServiceClient
    private let report: JobReport
    /// Whether the output is downloaded afterwards.
    private let fetches: Bool

    init(_ client: ServiceClient, _ report: JobReport, fetches: Bool = false) {
        (self.client, self.report, self.fetches) = (client, report, fetches)
    }

    /// The number of attempts to reconnect, one per second, while the server restarts.
    private static let maxRetries = 60

    /// Follows the job until it ends. A restarting server ends the stream of events, but not the job, so this
    /// reconnects.
    func follow(_ id: String) throws(ServiceError) -> ExitCode {
        var last: Int64 = 0
        var failures = 0
        while true {
            let job: JSONValue
            do throws(ServiceError) {
                job = try listen(id, after: &last)
                failures = 0
            } catch {
                failures += 1
                guard error.code == "service.unreachable", last > 0, failures < Self.maxRetries else { throw error }
                sleep(1)
                continue
            }
            if Self.hasEnded(job) { return try end(job) }
        }
    }

    /// - Returns: the state of the job after the last event.
    private func listen(_ id: String, after last: inout Int64) throws(ServiceError) -> JSONValue {
        var newest = last
        defer { last = newest }
        try client.listen("/v1/jobs/\(id)/events", after: last) { event in
            newest = event.id ?? newest
            guard let record = try? JSONValue(parsing: event.data) else { return true }
            report.event(event.type, record)
            return !Self.hasEnded(record)
        }
        return try client.ask("GET", "/v1/jobs/\(id)")
    }

    private static func hasEnded(_ record: JSONValue) -> Bool {
        JobState(rawValue: record["state"]?.string ?? "")?.isFinal == true
    }

    private func end(_ job: JSONValue) throws(ServiceError) -> ExitCode {
        switch job["state"]?.string {
        case "failed":
            let error = job["error"]
            let code = error?["code"]?.string
            let category = error?["category"]?.string.flatMap(Failure.Category.init)
            throw ServiceError(
                ExitCode(jobError: code, category), code ?? "job.failed",
                error?["message"]?.string ?? "the job has failed", hint: error?["hint"]?.string)
        case "cancelled": throw ServiceError(.interrupted, "job.cancelled", "the job was cancelled")
        default:
            if !fetches { report.outcome(job) }
            let outcome = job["result"]?["outcome"]?.string.flatMap(JobResult.Outcome.init)
            return outcome == .incompleteSource ? .incompleteSource : .success
        }
    }
}
