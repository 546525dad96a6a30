package import VTXSystem

/// One worker's go at a job.
package struct Attempt: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable {
        case succeeded
        case failed
        /// Told to stop: cancelled, paused, drained, or to make room for a real-time job.
        case stopped
        /// The server ended while it ran; the next attempt goes on from the journal.
        case interrupted
    }

    /// Counts from 1.
    package var number: Int
    /// The host and process that did it.
    package var worker: String
    /// By stage; none yet while planning.
    package var devices: [Stage: DeviceName]
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    package var outcome: Outcome?
    package var failure: Failure?
    /// Seconds of each device's engines.
    package var engineSeconds: [String: Double]?

    package init(number: Int, worker: String, devices: [Stage: DeviceName] = [:], startedAt: Timestamp) {
        self.number = number
        self.worker = worker
        self.devices = devices
        self.startedAt = startedAt
    }
}

/// What is done to video.
package enum Stage: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
    case decode
    case process
    case encode
}

/// Which device: a GPU by its PCI address or node, or `cpu`.
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

/// Why an attempt, and perhaps the job, failed.
package struct Failure: Error, Sendable, Hashable, Codable {
    /// Whose fault it is decides what happens next.
    package enum Category: String, Sendable, Hashable, Codable, CaseIterable {
        /// The GPU, its driver, or what it wrote.
        case device
        /// The source cannot be read, or what is asked cannot be done with it: final.
        case source
        /// What is asked is wrong: final.
        case request
        case network
        /// No space, no permission, the name is taken: final.
        case output
        /// A rule of the job's own stopped it: the output would be too large, or something lost. Final.
        case rule
        /// Another process still has the job's files, or the disk of the service's state is full.
        case busy
        /// The worker died of something that is no device's fault, or has a bug.
        case worker
    }

    /// The worker's code, such as `input.notFound`, or one of the service's own.
    package var code: String
    package var category: Category
    package var message: String
    package var hint: String?
    /// The device that failed.
    package var device: DeviceName?
    /// What the worker wrote last, for what has no other explanation.
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
    /// The job of one of its segments has failed, and was tried again as often as it may be.
    case segmentFailed(Failure)
    /// It stopped as it was told, at a checkpoint.
    case stopped
}

/// What has to be done because of it.
package enum JobAction: Sendable, Hashable {
    case stopWorker(StopReason)
    /// Remove what the attempts have left.
    case discardLeftovers
    /// End the worker that an earlier server may have left at it.
    case endLeftWorker
    /// The job has ended: tell those who wait for it.
    case ended
}

/// Something was asked of a job that its state does not allow.
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
