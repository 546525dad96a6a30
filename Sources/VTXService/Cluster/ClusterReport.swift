import VTXCluster
import VTXJSON
import VTXJobs

extension Cluster {
    /// Those of all workers, each with its worker's name.
    func devices() throws(Problem) -> [JSONValue] {
        do throws(NATSError) {
            return try workers().flatMap { worker in
                (worker["devices"]?.array ?? []).map { device in
                    var members = device.object ?? [:]
                    members["worker"] = worker["worker"]
                    return .object(members)
                }
            }
        } catch { throw .unreachable(error) }
    }
}

extension Problem {
    static func unreachable(_ error: NATSError) -> Problem {
        Problem(
            503, "cluster.unreachable", "the cluster cannot be reached: \(error)",
            hint: "jobs are taken, and those that run go on; ask again when NATS is back")
    }
}

/// What a worker has the servers keep, beside its jobs' records.
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
    static let collections: Set<String> = [
        RecordCollections.plans, RecordCollections.receipts, RecordCollections.watched,
    ]
}
