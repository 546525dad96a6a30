/// Where a job is in its life.
package enum JobState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Waits for a worker, or until `retryAt`.
    case queued
    /// A worker looks at the source; after that the job waits for engines.
    case planning
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
        case .queued, .planning, .running, .verifying, .paused: false
        }
    }

    /// A worker has the job.
    package var isActive: Bool { self == .planning || self == .running || self == .verifying }
}
