package import VTXSystem

/// A requested transcode with its history.
///
/// Only `handle` changes its state: a pure state machine that takes events and returns actions.
package struct Job: Sendable, Hashable, Codable {
    package let id: JobID
    package internal(set) var specification: JobSpecification
    package internal(set) var state = JobState.queued
    package let createdAt: Timestamp
    /// The start of the first attempt.
    package internal(set) var startedAt: Timestamp?
    package internal(set) var endedAt: Timestamp?
    package internal(set) var attempts: [Attempt] = []
    /// The earliest start of a queued job.
    package internal(set) var retryAt: Timestamp?

    /// Twice the longest backoff, in seconds. A longer wait means that the clock was set back, and ends immediately.
    package static let longestWait = 600.0
    /// How long a job is kept after its end, in seconds, and with it the key of its request.
    package static let keptSeconds = 30.0 * 86400
    /// Why it failed.
    package internal(set) var failure: Failure?
    /// Why it was skipped.
    package internal(set) var reason: String?
    /// The result of planning.
    package internal(set) var workload: Workload?
    package internal(set) var result: JobResult?
    /// The output that is about to be renamed.
    package internal(set) var committing: Committing?
    /// The reason for which a worker has been asked to stop, but has not yet.
    package internal(set) var stopping: StopReason?
    /// The running job that writes the same output, for whose end this one waits.
    package internal(set) var waitsFor: JobID?
    /// Devices that failed at this job.
    package internal(set) var avoiding: [DeviceName] = []
    /// The watch folder that submitted it.
    package var watchFolder: String?
    /// What that folder skips, as it was when it submitted the job; nil also for a job that an earlier version stored.
    package var skipRule: SkipRule?
    /// nil for a single host.
    package let origin: JobOrigin?
    /// nil for a job that is not a segment.
    package internal(set) var segment: JobSegment?
    /// Whether skip rules are ignored, because a user wants the job although it was skipped.
    package internal(set) var ignoresRules = false
    /// The number of transient failures of each category since the last progress.
    package internal(set) var setbacks: [Failure.Category: Int] = [:]
    /// The number of frames that any attempt has reached.
    package internal(set) var furthestFrame = 0

    package init(
        id: JobID, _ specification: JobSpecification, at now: Timestamp, watchFolder: String? = nil,
        skipRule: SkipRule? = nil, origin: JobOrigin? = nil
    ) {
        self.id = id
        self.origin = origin
        self.specification = specification
        createdAt = now
        self.watchFolder = watchFolder
        self.skipRule = skipRule
    }
}

extension Failure.Category: CodingKeyRepresentable {}

/// Why a worker is asked to stop early.
package enum StopReason: String, Sendable, Hashable, Codable {
    case cancel
    case pause
    /// The server is shutting down.
    case drain
    /// A real-time job needs the engine.
    case preempt

    /// Whether it counts although there is a reason already: what a user wants, and cancelling above all.
    package func overrides(_ earlier: StopReason?) -> Bool {
        switch (self, earlier) {
        case (_, nil): true
        case (.cancel, let other?): other != .cancel
        case (.pause, .drain?), (.pause, .preempt?): true
        case (.pause, _), (.drain, _), (.preempt, _): false
        }
    }
}

/// An output between its check and its rename, from which a server that restarts can tell what was done.
package struct Committing: Sendable, Hashable, Codable {
    package var result: JobResult
    package var file: FileIdentity
}

package struct JobResult: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        case completed
        /// The source was truncated or damaged. The output contains everything that could be read.
        case incompleteSource
    }

    package var output: String
    package var outputBytes: Int64
    package var sourceBytes: Int64
    package var frames: Int
    /// The duration of the output.
    package var duration: Double
    /// The duration of the work.
    package var seconds: Double
    package var notices: Int
    /// nil if the worker's last record is lost.
    package var outcome: Outcome?
    /// The files of an output that is a directory, the one that players open first; nil for a single file.
    package var files: [File]?
    /// The path of the source that the output has replaced; nil if the source stays.
    package var replacedSource: String?

    package struct File: Sendable, Hashable, Codable {
        package var name: String
        package var bytes: Int64

        package init(name: String, bytes: Int64) { (self.name, self.bytes) = (name, bytes) }
    }

    package init(
        output: String, outputBytes: Int64, sourceBytes: Int64, frames: Int, duration: Double, seconds: Double,
        notices: Int = 0, outcome: Outcome? = .completed, files: [File]? = nil
    ) {
        self.output = output
        self.outputBytes = outputBytes
        self.sourceBytes = sourceBytes
        self.frames = frames
        self.duration = duration
        self.seconds = seconds
        self.notices = notices
        self.outcome = outcome
        self.files = files
    }
}

package enum JobState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Waiting for a worker, or until `retryAt`.
    case queued
    /// A worker probes the source.
    case planning
    /// Planned, and waiting for engines.
    case waiting
    case running
    /// The output is complete and is being checked, then renamed.
    case verifying
    /// Stopped by a user at the last checkpoint.
    case paused
    case succeeded
    case failed
    case cancelled
    /// Not transcoded because of a rule.
    case skipped

    /// Whether only `retry` changes the state.
    package var isFinal: Bool {
        switch self {
        case .succeeded, .failed, .cancelled, .skipped: true
        case .queued, .planning, .waiting, .running, .verifying, .paused: false
        }
    }

    package static var unfinished: Set<JobState> { Set(allCases.filter { !$0.isFinal }) }

    /// Whether a host is working on the job.
    package var isActive: Bool { Self.active.contains(self) }

    package static let active: Set = [planning, waiting, running, verifying]
}

/// The ID of a job: 20 characters that are easy to type, unique across all hosts.
package struct JobID: Sendable, Hashable {
    package let text: String

    /// Crockford's alphabet: without i, l, o and u, which are ambiguous.
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    package static let length = 20

    /// - Returns: nil for invalid text.
    package init?(_ text: String) {
        guard text.count == Self.length, text.allSatisfy(Self.alphabet.contains) else { return nil }
        self.text = text
    }

    package init(using generator: inout some RandomNumberGenerator) {
        text = String((0..<Self.length).map { _ in Self.alphabet.randomElement(using: &generator)! })
    }

    /// The same key gives the same job on every server of a cluster, even if they cannot reach each other.
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
