package import VTXJSON

/// Persistent storage of jobs. One writer; data is on the disk when a call returns.
///
/// In memory for tests, SQLite on one machine; a cluster's key-value store is also possible.
package protocol JobStore: Sendable {
    /// Adds a new job, or finds the one that was added with the same key.
    ///
    /// - Parameters:
    ///   - key: The client's key with a digest of the request: the same key with another request is an error.
    ///   - events: Written with it, or not at all.
    func add(_ job: Job, key: IdempotencyKey?, _ events: [LoggedEvent]) throws(StoreError) -> Added

    /// Returns what `add` would find by the key; nil for a new job.
    func added(by key: IdempotencyKey) throws(StoreError) -> Added?

    /// Writes changed jobs, their events, and their records, in one transaction.
    ///
    /// - Returns: the events' numbers.
    func save(_ jobs: [Job], _ events: [LoggedEvent], _ records: [StoredRecord]) throws(StoreError) -> [Int64]

    func job(_ id: JobID) throws(StoreError) -> Job?

    /// Lists jobs, newest first.
    func list(_ query: JobQuery) throws(StoreError) -> JobPage

    /// Returns queued jobs that may start: the first ones of each lane by priority and age.
    func candidates(at now: Timestamp, _ query: CandidateQuery) throws(StoreError) -> [Job]

    /// Returns when the next waiting job may start; nil if none is waiting.
    func nextRetry(after now: Timestamp) throws(StoreError) -> Timestamp?

    /// Returns the jobs that workers had when the last server exited.
    func active() throws(StoreError) -> [Job]

    /// Returns the queued jobs that have had an attempt, and may have left the beginning of their output.
    func begun() throws(StoreError) -> [Job]

    func counts() throws(StoreError) -> [JobState: Int]

    /// Removes jobs that ended before a time, with everything that belongs to them.
    func removeEnded(before time: Timestamp, limit: Int) throws(StoreError) -> [Job]
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
    /// The end of the previous page.
    package var cursor: Int64?
    package var limit: Int

    package init(states: Set<JobState> = [], labels: [String: String] = [:], cursor: Int64? = nil, limit: Int = 50) {
        self.states = states
        self.labels = labels
        self.cursor = cursor
        self.limit = limit
    }
}

/// Limits the candidates, each of which is read and compared with the others.
package struct CandidateQuery: Sendable, Hashable {
    /// Whether the jobs are those whose sources are fetched, or the others.
    package var areFetched: Bool
    package var perLane = 16
    /// Of many lanes fewer jobs each, and of more lanes than this the first ones by priority and age.
    package var total = 128
    /// Only jobs of a higher rank.
    package var above: Int?

    package init(areFetched: Bool = false, perLane: Int = 16, total: Int = 128, above: Int? = nil) {
        (self.areFetched, self.perLane, self.total, self.above) = (areFetched, perLane, total, above)
    }

    /// - Parameter count: The number of lanes.
    package func perLane(of count: Int) -> Int { max(1, min(perLane, total / max(1, count))) }
}

package struct JobPage: Sendable, Hashable {
    package var jobs: [Job]
    /// The cursor for the next page; nil at the end.
    package var cursor: Int64?

    package init(jobs: [Job], cursor: Int64?) {
        self.jobs = jobs
        self.cursor = cursor
    }
}

package struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable {
        case full
        case damaged
        case busy
        /// A read or write error of the disk.
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

/// Small documents by collection and name: presets, watch folders, device health, speeds, tokens, uploads.
package protocol RecordStore: Sendable {
    func put(_ value: JSONValue, _ collection: String, _ name: String) throws(StoreError)
    func record(_ collection: String, _ name: String) throws(StoreError) -> JSONValue?
    /// Those whose names begin with the prefix, in order of name.
    func records(_ collection: String, prefix: String) throws(StoreError) -> [(name: String, value: JSONValue)]
    /// - Returns: false if there was none.
    func removeRecord(_ collection: String, _ name: String) throws(StoreError) -> Bool
    /// Removes several, all or none.
    func removeRecords(_ collection: String, _ names: [String]) throws(StoreError)
}

extension RecordStore {
    package func records(_ collection: String) throws(StoreError) -> [(name: String, value: JSONValue)] {
        try records(collection, prefix: "")
    }
}

/// A document of a `RecordStore`, with its collection and name.
package struct StoredRecord: Sendable, Hashable {
    package var collection: String
    package var name: String
    package var value: JSONValue

    package init(_ collection: String, _ name: String, _ value: JSONValue) {
        (self.collection, self.name, self.value) = (collection, name, value)
    }
}

/// Events, in order; kept for readers that reconnect.
package protocol EventLog: Sendable {
    /// Returns the events after a number, oldest first.
    func events(after number: Int64, of job: JobID?, limit: Int) throws(StoreError) -> [NumberedEvent]

    func lastEventNumber() throws(StoreError) -> Int64

    /// Reports events once they are on the disk, each once and in order.
    func observe(_ receive: @escaping @Sendable ([NumberedEvent]) -> Void)

    /// Keeps the newest events.
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

/// The names of the collections.
package enum RecordCollections {
    package static let presets = "presets"
    package static let watchFolders = "watchFolders"
    /// Sources that a watch folder has submitted, so that they are not submitted twice.
    package static let watched = "watched"
    /// When the last watch folder with a name was removed.
    package static let removedFolders = "removedFolders"
    package static let devices = "devices"
    package static let scheduling = "scheduling"
    package static let tokens = "tokens"
    package static let uploads = "uploads"
    package static let callbacks = "callbacks"
    package static let plans = "plans"
    package static let receipts = "receipts"
    /// The number of records already taken from each job's workers.
    package static let takenRecords = "takenRecords"
    /// The name of this server in its cluster.
    package static let cluster = "cluster"
    /// Keys that sign what this server issues.
    package static let keys = "keys"

    /// Collections by job ID, which are removed with the job.
    package static let ofJobs = [plans, receipts, callbacks, takenRecords]
}

/// The result of adding a job.
package enum Added: Sendable, Hashable {
    /// The job is new. The numbers are those of its events.
    case new([Int64])
    /// The key exists, for this job.
    case existing(Job)
    /// The key exists with another request.
    case conflict
}

extension Job {
    /// Compares a request's key with the one that added this job.
    package func added(by key: IdempotencyKey) -> Added { origin?.key == key ? .existing(self) : .conflict }
}
