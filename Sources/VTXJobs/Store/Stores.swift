package import VTXJSON

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

    /// What `add` would find by the key; nil where the job would be new.
    func added(by key: IdempotencyKey) throws(StoreError) -> Added?

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
        /// The disk cannot be read or written.
        case disk
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

/// Small documents by collection and name: presets, watch folders, health of devices, speeds, tokens, uploads.
package protocol RecordStore: Sendable {
    func put(_ value: JSONValue, _ collection: String, _ name: String) throws(StoreError)
    func record(_ collection: String, _ name: String) throws(StoreError) -> JSONValue?
    /// In order of their names.
    func records(_ collection: String) throws(StoreError) -> [(name: String, value: JSONValue)]
    /// - Returns: false where there was none.
    func removeRecord(_ collection: String, _ name: String) throws(StoreError) -> Bool
}

/// A document with its place in a `RecordStore`.
package struct StoredRecord: Sendable, Hashable {
    package var collection: String
    package var name: String
    package var value: JSONValue

    package init(_ collection: String, _ name: String, _ value: JSONValue) {
        (self.collection, self.name, self.value) = (collection, name, value)
    }
}

/// What has happened, in order; kept for readers that were away.
package protocol EventLog: Sendable {
    /// The events after a number, the oldest first.
    func events(after number: Int64, of job: JobID?, limit: Int) throws(StoreError) -> [NumberedEvent]

    func lastEventNumber() throws(StoreError) -> Int64

    /// Tells of events when they are on the disk, each once and in the order of their numbers.
    func observe(_ receive: @escaping @Sendable ([NumberedEvent]) -> Void)

    /// Keeps the newest ones.
    func trimEvents(to count: Int) throws(StoreError)
}

package struct LoggedEvent: Sendable, Hashable {
    package var type: String
    package var job: JobID?
    package var time: Timestamp
    /// A JSON object.
    package var body: String

    package init(_ type: String, of job: JobID?, at time: Timestamp, body: String) {
        self.type = type
        self.job = job
        self.time = time
        self.body = body
    }
}

package struct NumberedEvent: Sendable, Hashable {
    package var number: Int64
    package var event: LoggedEvent

    package init(number: Int64, event: LoggedEvent) {
        self.number = number
        self.event = event
    }
}

/// The collections that there are.
package enum RecordCollections {
    package static let presets = "presets"
    package static let watchFolders = "watchFolders"
    /// Sources that a watch folder has taken, so that they are not taken twice.
    package static let watched = "watched"
    package static let devices = "devices"
    package static let scheduling = "scheduling"
    package static let tokens = "tokens"
    package static let uploads = "uploads"
    package static let callbacks = "callbacks"
    package static let plans = "plans"
    package static let receipts = "receipts"
    /// How far the records of a job's workers have been taken.
    package static let takenRecords = "takenRecords"
    /// What this server is called in its cluster.
    package static let cluster = "cluster"

    /// Those whose names are jobs' ids; they go with the job.
    package static let ofJobs = [plans, receipts, callbacks, takenRecords]
}

/// What adding a job came to.
package enum Added: Sendable, Hashable {
    /// With its events' numbers.
    case new([Int64])
    /// The key was there: this is its job.
    case existing(Job)
    /// The key was there with another request.
    case conflict
}

extension Job {
    /// What a request with a key is, where this job was added by the same key.
    package func added(by key: IdempotencyKey) -> Added { origin?.key == key ? .existing(self) : .conflict }
}
