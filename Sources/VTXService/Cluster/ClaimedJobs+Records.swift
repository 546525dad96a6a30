import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem

extension ClaimedJobs: EventLog {
    func events(after number: Int64, of job: JobID?, limit: Int) -> [NumberedEvent] { [] }
    func lastEventNumber() -> Int64 { 0 }
    func observe(_ receive: @escaping @Sendable ([NumberedEvent]) -> Void) {}
    func trimEvents(to count: Int) {}
}

// MARK: Records

extension ClaimedJobs: RecordStore {
    func put(_ value: JSONValue, _ collection: String, _ name: String) throws(StoreError) {
        guard ClusterReport.collections.contains(collection) else { return try local.put(value, collection, name) }
        outbox.add(.record(StoredRecord(collection, name, value)))
    }

    func record(_ collection: String, _ name: String) throws(StoreError) -> JSONValue? {
        guard collection == RecordCollections.watchFolders else { return try local.record(collection, name) }
        return watchFolder(name)
    }

    func records(
        _ collection: String, prefix: String
    ) throws(StoreError) -> [(name: String, value: JSONValue)] {
        try local.records(collection, prefix: prefix)
    }

    func removeRecord(_ collection: String, _ name: String) throws(StoreError) -> Bool {
        try local.removeRecord(collection, name)
    }

    func removeRecords(_ collection: String, _ names: [String]) throws(StoreError) {
        try local.removeRecords(collection, names)
    }
}
