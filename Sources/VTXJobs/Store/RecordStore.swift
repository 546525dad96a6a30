package import VTXJSON

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

    /// Those whose names are jobs' ids; they go with the job.
    package static let ofJobs = [plans, receipts, callbacks]
}
