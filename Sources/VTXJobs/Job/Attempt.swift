package import VTXSystem

/// A worker's attempt at a job.
package struct Attempt: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable {
        case succeeded
        case failed
        /// Stopped on request: cancelled, paused, drained, or preempted by a real-time job.
        case stopped
        /// The server exited while it was running; the next attempt resumes from the journal.
        case interrupted
    }

    /// Starts at 1.
    package var number: Int
    /// The host and process of the worker.
    package var worker: String
    /// By stage; empty while planning.
    package var devices: [Stage: DeviceName]
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    package var outcome: Outcome?
    package var failure: Failure?
    /// The time used on each device's engines, in seconds.
    package var engineSeconds: [String: Double]?

    package init(number: Int, worker: String, devices: [Stage: DeviceName] = [:], startedAt: Timestamp) {
        self.number = number
        self.worker = worker
        self.devices = devices
        self.startedAt = startedAt
    }
}

/// A stage of processing video.
package enum Stage: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
    case decode
    case process
    case encode
}

/// The name of a device: a GPU's PCI address or node, or `cpu`.
package struct DeviceName: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Software.
    package static let cpu = DeviceName("cpu")
}

extension DeviceName: CustomStringConvertible, Comparable, Codable {
    package var description: String { text }
    package static func < (left: DeviceName, right: DeviceName) -> Bool { left.text < right.text }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Why an attempt, and possibly the job, failed.
package struct Failure: Error, Sendable, Hashable, Codable {
    /// The cause, which determines what happens next.
    package enum Category: String, Sendable, Hashable, Codable, CaseIterable {
        /// The GPU, its driver, or its output.
        case device
        /// The source cannot be read, or does not support the request. Final.
        case source
        /// The request is invalid. Final.
        case request
        case network
        /// Disk full, permission denied, or existing file. Final.
        case output
        /// The output failed its check and was removed. The worker has already repeated what it could. Final.
        case verification
        /// One of the job's rules stopped it: the output would be too large, or something would be lost. Final.
        case rule
        /// Another process still uses the job's files, or the disk with the service's state is full.
        case busy
        /// The worker crashed for a reason other than a device, or has a bug.
        case worker
    }

    /// The worker's code, such as `input.notFound`, or one of the service.
    package var code: String
    package var category: Category
    package var message: String
    package var hint: String?
    /// The device that failed.
    package var device: DeviceName?
    /// The last lines that the worker wrote, if there is no other explanation.
    package var evidence: [String]?

    package init(
        _ category: Category, _ code: String, _ message: String, hint: String? = nil, device: DeviceName? = nil,
        evidence: [String]? = nil
    ) {
        self.code = code
        self.category = category
        self.message = message
        self.hint = hint
        self.device = device
        self.evidence = evidence
    }
}

package enum JobEvent: Sendable, Hashable {
    // Requests of users.
    case cancel
    case pause
    case resume
    case retry
    case prioritize(Int)

    // Actions of the dispatcher.
    /// A worker starts to probe the source.
    case plan(worker: String)
    /// Engines are available.
    case start(worker: String, [Stage: DeviceName])
    /// A planned job waits for the end of the job that writes the same output; nil if none does any more.
    case waitsFor(JobID?)
    /// The engines or the process are needed otherwise.
    case makeRoom(StopReason)
    /// No device is left that can run this job.
    case unplaceable(Failure)
    /// The server has started, and no worker has the job.
    case adopt

    // Reports of workers.
    case planned(Workload)
    /// A job on another host writes the same output.
    case outputTaken(by: JobID)
    case skip(reason: String)
    case progress(frames: Int)
    case verifying
    /// The output is complete and about to be renamed; this is its identity.
    case committing(JobResult, FileIdentity)
    case finished(JobResult)
    case failed(Failure)
    /// The job of one of its segments failed after all retries.
    case segmentFailed(Failure)
    /// It stopped at a checkpoint, as requested.
    case stopped
}

/// An action that follows from an event.
package enum JobAction: Sendable, Hashable {
    case stopWorker(StopReason)
    /// End a worker that an earlier server may have left running.
    case endLeftWorker
    /// Remove what its attempts have left, and notify clients that wait for the job's end.
    case ended
}

/// A request that the job's state does not allow.
package struct JobConflict: Error, Sendable, Hashable, CustomStringConvertible {
    package var state: JobState
    package var event: String
    package var allowed: [JobState]

    package var description: String {
        if state.rawValue == event { return "the job is \(event) already" }
        let names = allowed.map(\.rawValue)
        let first = names.dropLast().joined(separator: ", ")
        let list = [first, names.last ?? ""].filter { !$0.isEmpty }.joined(separator: " or ")
        return "the job is \(state.rawValue), and cannot be \(event): only one that is \(list) can"
    }
}

extension Job {
    /// Stores how long the last attempt used each engine.
    package mutating func noteEngineSeconds(_ seconds: [String: Double]) {
        guard !attempts.isEmpty else { return }
        attempts[attempts.count - 1].engineSeconds = seconds
    }
}
