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

    /// Seconds, twice the longest backoff: one that would wait for longer waits by a clock that was set back since, and its
    /// time has come.
    package static let longestWait = 600.0
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
    /// nil where one host does everything.
    package let origin: JobOrigin?
    /// nil for a job of its own.
    package internal(set) var segment: JobSegment?
    /// Its rules do not count: a user wants it although it was skipped.
    package internal(set) var ignoresRules = false
    /// Failures of each kind that may pass by themselves, since the last progress.
    package internal(set) var setbacks: [Failure.Category: Int] = [:]
    /// The most that any attempt has encoded.
    package internal(set) var furthestFrame = 0

    package init(
        id: JobID, _ specification: JobSpecification, at now: Timestamp, watchFolder: String? = nil,
        origin: JobOrigin? = nil
    ) {
        self.id = id
        self.origin = origin
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

/// Where a job is in its life.
package enum JobState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Waits for a worker, or until `retryAt`.
    case queued
    /// A worker looks at the source.
    case planning
    /// It is planned, and waits for engines.
    case waiting
    case running
    /// The output is whole and is being checked, then renamed.
    case verifying
    /// Stopped by a user at its last checkpoint.
    case paused
    case succeeded
    case failed
    case cancelled
    /// There was nothing to do, by a rule.
    case skipped

    /// Only `retry` leads out of it.
    package var isFinal: Bool {
        switch self {
        case .succeeded, .failed, .cancelled, .skipped: true
        case .queued, .planning, .waiting, .running, .verifying, .paused: false
        }
    }

    package static var unfinished: Set<JobState> { Set(allCases.filter { !$0.isFinal }) }

    /// A host has the job in hand.
    package var isActive: Bool { Self.active.contains(self) }

    package static let active: Set = [planning, waiting, running, verifying]
}

/// The name of a job: 20 characters that can be typed, unique over all hosts.
package struct JobID: Sendable, Hashable {
    package let text: String

    /// Crockford's alphabet: no i, l, o and u, which are mistaken for others.
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    package static let length = 20

    /// - Returns: nil for what is no id.
    package init?(_ text: String) {
        guard text.count == Self.length, text.allSatisfy(Self.alphabet.contains) else { return nil }
        self.text = text
    }

    package init(using generator: inout some RandomNumberGenerator) {
        text = String((0..<Self.length).map { _ in Self.alphabet.randomElement(using: &generator)! })
    }

    /// The same key is the same job at every server of a cluster, whether they reach one another or not.
    package init(of key: IdempotencyKey) {
        var digest = SHA256()
        digest.add(key.key.utf8)
        text = String(digest.finish().prefix(Self.length).map { Self.alphabet[Int($0) % Self.alphabet.count] })
    }
}

extension JobID: CustomStringConvertible, Codable {
    package var description: String { text }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
