import VTXJSON
import VTXJobs

extension Metrics {
    /// A job was written down.
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

    /// A notice of a worker.
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
