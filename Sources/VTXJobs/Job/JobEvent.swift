package import VTXSystem

/// What happens to a job.
package enum JobEvent: Sendable, Hashable {
    // What users ask for.
    case cancel
    case pause
    case resume
    case retry
    case prioritize(Int)

    // What the dispatcher does.
    /// A worker begins to look at the source.
    case plan(worker: String)
    /// Engines have room.
    case start(worker: String, [Stage: DeviceName])
    /// The engines or the process are needed for something else.
    case makeRoom(StopReason)
    /// No device is left that may do this job.
    case unplaceable(Failure)
    /// The server has started, and no worker has the job.
    case adopt

    // What the worker tells.
    case planned(Workload)
    case skip(reason: String)
    case progress(frames: Int)
    case verifying
    /// The output is whole and is about to get its name; it is this file, whatever happens meanwhile.
    case committing(JobResult, FileIdentity)
    case finished(JobResult)
    case failed(Failure)
    /// It stopped as it was told, at a checkpoint.
    case stopped
}

/// What has to be done because of it.
package enum JobAction: Sendable, Hashable {
    case stopWorker(StopReason)
    /// Remove what the attempts have left.
    case discardJournal
    /// The job has ended: tell those who wait for it.
    case ended
}

/// Something was asked of a job that its state does not allow.
package struct JobConflict: Error, Sendable, Hashable, CustomStringConvertible {
    package var state: JobState
    package var event: String
    package var allowed: [JobState]

    package var description: String {
        "a job that is \(state.rawValue) cannot be \(event); one that is "
            + allowed.map(\.rawValue).joined(separator: " or ") + " can"
    }
}
