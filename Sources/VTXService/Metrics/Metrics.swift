import VTXJSON
import VTXJobs
import VTXSystem

/// Counters and histograms in Prometheus' text format, version 0.0.4.
final class Metrics: Sendable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    struct Family: Sendable {
        var name: String
        var kind: Kind
        var help: String
        var buckets: [Double] = []
    }

    private struct Series: Sendable {
        var value = 0.0
        var counts: [Int] = []
        var sum = 0.0
        var count = 0
    }

    private struct State { var series: [String: [String: Series]] = [:] }

    private let state = Locked(State())

    static let families = [
        Family(name: "vtx_jobs_total", kind: .counter, help: "Ended jobs by result."),
        Family(
            name: "vtx_queue_seconds", kind: .histogram, help: "Seconds from a job's submission to its first attempt.",
            buckets: [0.1, 1, 5, 30, 60, 300, 1800, 7200, 43200]),
        Family(
            name: "vtx_job_realtime_ratio", kind: .histogram,
            help: "Seconds of video transcoded per second, by job.",
            buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32]),
        Family(name: "vtx_frames_total", kind: .counter, help: "Encoded frames by stage and backend."),
        Family(name: "vtx_fallbacks_total", kind: .counter, help: "Stages that ran in software instead of on a GPU."),
        Family(name: "vtx_downgrades_total", kind: .counter, help: "Properties of sources lost in outputs."),
        Family(name: "vtx_verify_failures_total", kind: .counter, help: "Outputs that failed verification."),
        Family(
            name: "vtx_bytes_saved_total", kind: .counter, help: "Bytes saved by outputs compared to sources."),
        Family(name: "vtx_gpu_engine_seconds_total", kind: .counter, help: "Seconds of engine time used by jobs."),
        Family(
            name: "vtx_worker_restarts_total", kind: .counter,
            help: "Retried attempts by reason."),
        Family(name: "vtx_http_requests_total", kind: .counter, help: "Requests by operation and status."),
        Family(
            name: "vtx_http_request_seconds", kind: .histogram, help: "Response times in seconds.",
            buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2, 10]),
    ]

    func add(_ name: String, _ labels: KeyValuePairs<String, String> = [:], _ amount: Double = 1) {
        let key = Self.key(labels)
        state.withLock { $0.series[name, default: [:]][key, default: Series()].value += max(0, amount) }
    }

    func observe(_ name: String, _ labels: KeyValuePairs<String, String> = [:], _ value: Double) {
        guard let family = Self.families.first(where: { $0.name == name }) else { return }
        let key = Self.key(labels)
        state.withLock { state in
            var series = state.series[name]?[key] ?? Series(counts: family.buckets.map { _ in 0 })
            for (index, bound) in family.buckets.enumerated() where value <= bound { series.counts[index] += 1 }
            series.sum += value
            series.count += 1
            state.series[name, default: [:]][key] = series
        }
    }

    /// - Parameter gauges: The current values.
    func text(_ gauges: [(family: Family, values: [(labels: KeyValuePairs<String, String>, value: Double)])]) -> String
    {
        let series = state.withLock { $0.series }
        let counted = Self.families.map { Self.text($0, series[$0.name] ?? [:]) }.joined()
        let current = gauges.map { family, values in
            Self.header(family)
                + values.map { "\(family.name)\(Self.braces(Self.key($0.labels))) \(Self.number($0.value))\n" }.joined()
        }.joined()
        return current + counted
    }

    private static func text(_ family: Family, _ series: [String: Series]) -> String {
        header(family)
            + series.sorted { $0.key < $1.key }.map { key, series in
                family.kind == .histogram
                    ? histogram(family, key, series) : "\(family.name)\(braces(key)) \(number(series.value))\n"
            }.joined()
    }

    private static func header(_ family: Family) -> String {
        "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind.rawValue)\n"
    }

    private static func histogram(_ family: Family, _ key: String, _ series: Series) -> String {
        let comma = key.isEmpty ? "" : ","
        let buckets = zip(family.buckets, series.counts).map { bound, count in
            "\(family.name)_bucket{\(key)\(comma)le=\"\(number(bound))\"} \(count)\n"
        }.joined()
        return buckets + "\(family.name)_bucket{\(key)\(comma)le=\"+Inf\"} \(series.count)\n"
            + "\(family.name)_sum\(braces(key)) \(number(series.sum))\n\(family.name)_count\(braces(key)) \(series.count)\n"
    }

    private static func braces(_ key: String) -> String { key.isEmpty ? "" : "{\(key)}" }

    private static func key(_ labels: KeyValuePairs<String, String>) -> String {
        labels.map { name, value in
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(name)=\"\(escaped)\""
        }.joined(separator: ",")
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? value.description
    }
}

extension Metrics {
    /// Counts a stored change of a job.
    func note(_ job: Job) {
        if job.state == .planning, job.attempts.count == 1, job.workload == nil {
            observe("vtx_queue_seconds", [:], max(0, (job.startedAt ?? job.createdAt) - job.createdAt))
        }
        if job.state == .queued, let attempt = job.attempts.last, attempt.outcome != nil {
            add(
                "vtx_worker_restarts_total",
                ["reason": attempt.failure?.category.rawValue ?? attempt.outcome?.rawValue ?? ""])
        }
        if job.state.isFinal { noteEnd(job) }
    }

    private func noteEnd(_ job: Job) {
        add("vtx_jobs_total", ["result": job.state.rawValue])
        if job.failure?.code.hasPrefix("verify.") == true {
            add("vtx_verify_failures_total", ["check": job.failure?.code ?? ""])
        }
        guard let result = job.result, job.state == .succeeded else { return }
        if result.seconds > 0 { observe("vtx_job_realtime_ratio", [:], result.duration / result.seconds) }
        add("vtx_bytes_saved_total", [:], Double(result.sourceBytes - result.outputBytes))
        for (stage, device) in job.attempts.last?.devices ?? [:] {
            add(
                "vtx_frames_total", ["stage": stage.rawValue, "backend": device == .cpu ? "software" : "vaapi"],
                Double(result.frames))
        }
    }

    /// Counts a worker's notice.
    func note(_ record: JSONValue) {
        let code = record["code"]?.string ?? ""
        switch record["kind"]?.string {
        case "fallback": add("vtx_fallbacks_total", ["stage": code.dropPrefix("fallback."), "reason": code])
        case "downgrade": add("vtx_downgrades_total", ["kind": code.dropPrefix("downgrade.")])
        default: break
        }
    }

    func note(used seconds: [EngineID: Double]) {
        for (engine, seconds) in seconds {
            add("vtx_gpu_engine_seconds_total", ["device": engine.device.text, "engine": engine.engine], seconds)
        }
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
