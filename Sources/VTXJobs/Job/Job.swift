package import VTXSystem

/// A transcode that was asked for, with all that has happened to it.
///
/// `handle` is the only thing that changes its state: a pure state machine, which takes what has happened and returns
/// what has to be done.
package struct Job: Sendable, Hashable, Codable {
    package let id: JobID
    package internal(set) var specification: JobSpecification
    package internal(set) var state = JobState.queued
    package let createdAt: Timestamp
    /// Of the first attempt.
    package internal(set) var startedAt: Timestamp?
    package internal(set) var endedAt: Timestamp?
    package internal(set) var attempts: [Attempt] = []
    /// A job that is queued starts no sooner.
    package internal(set) var retryAt: Timestamp?
    /// Why it has failed.
    package internal(set) var failure: Failure?
    /// Why it was skipped.
    package internal(set) var reason: String?
    /// What planning found.
    package internal(set) var workload: Workload?
    package internal(set) var result: JobResult?
    /// The output that is about to get its name.
    package internal(set) var committing: Committing?
    /// A worker was told to stop, and has not stopped yet.
    package internal(set) var stopping: StopReason?
    /// Devices that have failed at this job.
    package internal(set) var avoiding: [DeviceName] = []
    /// The watch folder that submitted it.
    package var watchFolder: String?
    /// Its rules do not count: a user wants it although it was skipped.
    package internal(set) var ignoresRules = false
    /// Failures of each kind that may pass by themselves, since the last progress.
    package internal(set) var setbacks: [Failure.Category: Int] = [:]
    /// The most that any attempt has encoded.
    package internal(set) var furthestFrame = 0

    package init(id: JobID, _ specification: JobSpecification, at now: Timestamp, watchFolder: String? = nil) {
        self.id = id
        self.specification = specification
        createdAt = now
        self.watchFolder = watchFolder
    }
}

extension Failure.Category: CodingKeyRepresentable {}

/// Why a worker is told to stop before its end.
package enum StopReason: String, Sendable, Hashable, Codable {
    case cancel
    case pause
    /// The server ends.
    case drain
    /// A real-time job needs the engine.
    case preempt
}

/// An output between its check and its name: a server that is killed there finds out what it had done.
package struct Committing: Sendable, Hashable, Codable {
    package var result: JobResult
    package var file: FileIdentity
}

/// What came of a job.
package struct JobResult: Sendable, Hashable, Codable {
    package var output: String
    package var outputBytes: Int64
    package var sourceBytes: Int64
    package var frames: Int
    /// Of the source.
    package var duration: Double
    /// What the work took.
    package var seconds: Double
    package var notices: Int

    package init(
        output: String, outputBytes: Int64, sourceBytes: Int64, frames: Int, duration: Double, seconds: Double,
        notices: Int = 0
    ) {
        self.output = output
        self.outputBytes = outputBytes
        self.sourceBytes = sourceBytes
        self.frames = frames
        self.duration = duration
        self.seconds = seconds
        self.notices = notices
    }
}
