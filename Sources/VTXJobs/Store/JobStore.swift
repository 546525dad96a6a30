/// Where jobs live: what is in it survives the process. One writer; what is saved is on the disk when the call returns.
///
/// In memory for tests, SQLite on one machine; a cluster's key-value store fits as well.
package protocol JobStore: Sendable {
    /// Adds a job that is new, or finds the one that the same key has added before.
    ///
    /// - Parameters:
    ///   - key: the client's own, with what was asked: the same key with something else is an error.
    ///   - events: written with it, or not at all.
    func add(_ job: Job, key: IdempotencyKey?, _ events: [LoggedEvent]) throws(StoreError) -> Added

    /// Writes jobs that have changed, what has happened to them, and what has to be done because of it, all of it or
    /// nothing.
    ///
    /// - Returns: the events' numbers.
    func save(_ jobs: [Job], _ events: [LoggedEvent], _ records: [StoredRecord]) throws(StoreError) -> [Int64]

    func job(_ id: JobID) throws(StoreError) -> Job?

    /// The newest first.
    func list(_ query: JobQuery) throws(StoreError) -> JobPage

    /// Queued jobs whose time has come: of each tenant the first ones by priority and age.
    func candidates(at now: Timestamp, perTenant: Int) throws(StoreError) -> [Job]

    /// When the next job that waits may start; nil where none waits.
    func nextRetry(after now: Timestamp) throws(StoreError) -> Timestamp?

    /// Jobs that a worker had when the last server ended.
    func active() throws(StoreError) -> [Job]

    func counts() throws(StoreError) -> [JobState: Int]

    /// Removes jobs that ended before that time, with all that belongs to them.
    func removeEnded(before time: Timestamp, limit: Int) throws(StoreError) -> [JobID]
}

extension JobStore {
    @discardableResult
    package func save(_ jobs: [Job], _ events: [LoggedEvent] = []) throws(StoreError) -> [Int64] {
        try save(jobs, events, [])
    }
}

package struct IdempotencyKey: Sendable, Hashable {
    package var key: String
    /// Of what was asked.
    package var digest: String

    package init(key: String, digest: String) {
        self.key = key
        self.digest = digest
    }
}

package enum Added: Sendable, Hashable {
    /// With its events' numbers.
    case new([Int64])
    /// The key was there: this is its job.
    case existing(Job)
    /// The key was there with another request.
    case conflict
}

package struct JobQuery: Sendable, Hashable {
    package var states: Set<JobState>
    package var labels: [String: String]
    /// Where the page before ended.
    package var cursor: Int64?
    package var limit: Int

    package init(states: Set<JobState> = [], labels: [String: String] = [:], cursor: Int64? = nil, limit: Int = 50) {
        self.states = states
        self.labels = labels
        self.cursor = cursor
        self.limit = limit
    }
}

package struct JobPage: Sendable, Hashable {
    package var jobs: [Job]
    /// For the next page; nil at the end.
    package var cursor: Int64?

    package init(jobs: [Job], cursor: Int64?) {
        self.jobs = jobs
        self.cursor = cursor
    }
}

/// The store cannot do what was asked.
package struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable {
        case full
        case damaged
        case busy
        case newer
        case failed
    }

    package var kind: Kind
    package var message: String
    package var hint: String?

    package init(_ kind: Kind, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    package var description: String { hint.map { "\(message); \($0)" } ?? message }
}
