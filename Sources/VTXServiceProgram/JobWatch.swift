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
        var progress = Progress()
        while true {
            let ended: JSONValue?
            do throws(ServiceError) {
                ended = try endedJob(id, &progress)
                if ended == nil { try listen(id, &progress) }
                progress.failures = 0
            } catch {
                progress.failures += 1
                guard progress.isRetriable(error) else { throw error }
                sleep(1)
                continue
            }
            if let ended { return try end(ended) }
        }
    }

    private struct Progress {
        /// The number of the last event.
        var last: Int64 = 0
        var failures = 0
        var hasConnected = false
        /// Whether an event has reported the job's end.
        var isReported = false

        /// A server that restarts is not reachable for a while, or its proxy responds in its place.
        func isRetriable(_ error: ServiceError) -> Bool {
            hasConnected && error.exitCode == .internalError && failures < JobWatch.maxRetries
        }
    }

    /// Asks for the job before each stream: the stream of a job that has ended does not end, and the service may no
    /// longer have its events.
    ///
    /// - Returns: nil if it has not ended.
    private func endedJob(_ id: String, _ progress: inout Progress) throws(ServiceError) -> JSONValue? {
        let job = try client.ask("GET", "/v1/jobs/\(id)")
        progress.hasConnected = true
        guard Self.hasEnded(job) else { return nil }
        if !progress.isReported { reportEnd(of: job, id) }
        return job
    }

    /// Reports a job that ended before. The receipt has the worker's notices.
    private func reportEnd(of job: JSONValue, _ id: String) {
        let receipt = try? client.ask("GET", "/v1/jobs/\(id)/receipt")
        for notice in receipt?["notices"]?.array ?? [] { report.event("notice", notice) }
        report.event("job", job)
    }

    private func listen(_ id: String, _ progress: inout Progress) throws(ServiceError) {
        var seen = progress
        defer { progress = seen }
        try client.listen("/v1/jobs/\(id)/events", after: seen.last) { event in
            seen.last = event.id ?? seen.last
            guard let record = try? JSONValue(parsing: event.data) else { return true }
            report.event(event.type, record)
            seen.isReported = Self.hasEnded(record)
            return !seen.isReported
        }
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
