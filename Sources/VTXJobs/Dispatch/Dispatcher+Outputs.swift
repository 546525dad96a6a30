// An output has one writer at a time: a second one would work in vain, or before it is known whether the first succeeds.
extension Dispatcher {
    /// The running job that writes the output of another; nil for none.
    func writer(ofOutputOf job: Job) -> JobID? {
        guard let path = job.workload?.outputPath else { return nil }
        return live.values.first { other in
            other.job.id != job.id && [.running, .verifying].contains(other.job.state)
                && other.job.workload?.outputPath == path
        }?.job.id
    }

    /// Records for which jobs the waiting ones wait.
    mutating func noteWaits(_ now: Moment) -> [DispatchAction] {
        waiting.sorted { $0.id.text < $1.id.text }.flatMap { job -> [DispatchAction] in
            let other = writer(ofOutputOf: job)
            return job.waitsFor == other ? [] : change(job.id, .waitsFor(other), now)
        }
    }
}
