import VTXCluster
import VTXJSON
import VTXJobs

/// A worker's report that the servers store, besides the records of its jobs.
enum ClusterReport: Sendable, Hashable {
    case event(LoggedEvent)
    case record(StoredRecord)

    /// The last part of its subject.
    var kind: String {
        switch self {
        case .event: "event"
        case .record: "record"
        }
    }

    var text: String {
        switch self {
        case .event(let event):
            JSONValue.members([
                "type": .string(event.type), "job": .text(event.job?.text), "time": .time(event.time),
                "body": .string(event.body),
            ]).text
        case .record(let record):
            JSONValue.object([
                "collection": .string(record.collection), "name": .string(record.name), "value": record.value,
            ]).text
        }
    }

    /// - Returns: nil for a report of a later version.
    init?(_ message: NATSMessage) {
        guard let value = try? JSONValue(parsing: message.text) else { return nil }
        switch message.subject.split(separator: ".").last {
        case "event":
            guard let type = value["type"]?.string, let body = value["body"]?.string,
                let time = value["time"]?.string.flatMap({ Timestamp($0) })
            else { return nil }
            self = .event(LoggedEvent(type, of: value["job"]?.string.flatMap { JobID($0) }, at: time, body: body))
        case "record":
            guard let collection = value["collection"]?.string, let name = value["name"]?.string,
                Self.collections.contains(collection), let record = value["value"]
            else { return nil }
            self = .record(StoredRecord(collection, name, record))
        default: return nil
        }
    }

    init(_ event: LoggedEvent) { self = .event(event) }
    init(_ record: StoredRecord) { self = .record(record) }

    /// The collections that the servers store. All others are the worker's own.
    static let collections: Set<String> = [RecordCollections.plans, RecordCollections.receipts]
}
