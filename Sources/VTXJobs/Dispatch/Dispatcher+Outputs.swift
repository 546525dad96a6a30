// An output has one writer at a time: a second one would work in vain, or before it is known whether the first succeeds.
extension Dispatcher {
    /// The job that writes the output of another, or resumes it later; nil for none.
    func writer(ofOutputOf job: Job) -> JobID? {
        guard let path = job.workload?.outputPath else { return nil }
        return outputs.first { $0.value == path && $0.key != job.id }?.key
    }

    /// Takes over a job that a server before this one ran.
    package mutating func adopt(_ job: Job) {
        guard writer(ofOutputOf: job) == nil else { return }
        if isAlone, job.hasBegun { outputs[job.id] = job.workload?.outputPath } else { noteOutput(of: job) }
        if isAlone, job.state == .running || job.state == .verifying { resuming.insert(job.id) }
    }

    mutating func noteOutput(of job: Job) {
        switch job.state {
        case .running, .verifying: outputs[job.id] = job.workload?.outputPath
        case .succeeded, .failed, .cancelled, .skipped, .paused:
            outputs[job.id] = nil
            resuming.remove(job.id)
        case .queued where !isAlone: outputs[job.id] = nil
        case .queued, .planning, .waiting: break
        }
    }

    /// Records for which jobs the waiting ones wait.
    mutating func noteWaits(_ now: Moment) -> [DispatchAction] {
        waiting.sorted { $0.id.text < $1.id.text }.flatMap { job -> [DispatchAction] in
            let other = writer(ofOutputOf: job)
            return job.waitsFor == other ? [] : change(job.id, .waitsFor(other), now)
        }
    }
}
