import Glibc
import VTXJSON
import VTXJobs
import VTXSystem

/// Writes down what the job loop has decided. Listeners are told by the log, once it is on the disk.
final class JobLedger {
    private let store: any JobStore & RecordStore & EventLog
    private let metrics: Metrics
    private let snapshot: Locked<JobLoop.Snapshot>
    /// What this server is called in its cluster.
    private let server: String?
    private var eventsSinceTrim = 0
    /// The server ends: a store that fails is not tried again.
    var isClosing = false

    private static let keptEvents = 100_000

    init(
        _ store: any JobStore & RecordStore & EventLog, _ metrics: Metrics, _ snapshot: Locked<JobLoop.Snapshot>,
        server: String? = nil
    ) {
        self.server = server
        self.store = store
        self.metrics = metrics
        self.snapshot = snapshot
    }

    func save(_ jobs: [Job]) {
        retrying { () throws(StoreError) in try save(jobs, nil) }
    }

    /// - Parameter why: what has changed them, for readers of their events.
    func save(_ jobs: [Job], _ why: String?) throws(StoreError) {
        let callbacks = jobs.filter { $0.callsBack(from: server) }.compactMap(JobRecord.callback)
        try write(jobs, jobs.map { JobRecord.event(of: $0, at: .now, why) }, callbacks)
    }

    func save(_ health: DeviceHealth, _ device: DeviceName) {
        let event = LoggedEvent(
            "device", of: nil, at: .now,
            body: JSONValue.object([
                "type": "device", "device": .string(device.text), "health": .string(health.state.rawValue),
                "time": .string(Timestamp.now.description),
            ]).text)
        retrying { () throws(StoreError) in
            try store.put(try Self.json(health), RecordCollections.devices, device.text)
            try write([], [event])
        }
    }

    func save(_ speeds: SpeedTable) {
        retrying { () throws(StoreError) in
            try store.put(try Self.json(speeds), RecordCollections.scheduling, "speeds")
        }
    }

    private static func json(_ value: some Encodable) throws(StoreError) -> JSONValue {
        do { return try JSONValue(encoding: value) } catch {
            throw StoreError(.failed, "\(type(of: value)) cannot be written as JSON: \(error)")
        }
    }

    func write(_ event: LoggedEvent) { retrying { () throws(StoreError) in try write([], [event]) } }

    /// - Parameter position: what an event is made of; it is on the disk with the event, or neither is.
    func write(_ event: LoggedEvent?, taken position: RecordPosition, of job: JobID) {
        retrying { () throws(StoreError) in
            var taken = try store.record(RecordCollections.takenRecords, job.text)?.object ?? [:]
            taken[position.file] = .integer(position.bytes)
            let record = StoredRecord(RecordCollections.takenRecords, job.text, .object(taken))
            try write([], event.map { [$0] } ?? [], [record])
        }
    }

    private func write(
        _ jobs: [Job], _ events: [LoggedEvent], _ records: [StoredRecord] = []
    ) throws(StoreError) {
        _ = try store.save(jobs, events, records)
        jobs.forEach(metrics.note)
        eventsSinceTrim += events.count
        if eventsSinceTrim > 1000 {
            eventsSinceTrim = 0
            try store.trimEvents(to: Self.keptEvents)
        }
    }

    /// Until it works: a disk that is full or does not answer stops the loop, not the server, and loses nothing.
    func retrying(_ body: () throws(StoreError) -> Void) {
        while true {
            do throws(StoreError) {
                try body()
                return snapshot.withLock { $0.storeFailure = nil }
            } catch {
                let isKnown = snapshot.withLock { snapshot in
                    defer { snapshot.storeFailure = error }
                    return snapshot.storeFailure?.kind == error.kind
                }
                guard [.full, .busy, .disk].contains(error.kind) else { return Log.error("\(error)") }
                if isClosing { return Log.error("\(error); the next start goes on from what is written") }
                if !isKnown { Log.error("\(error); it is tried until it works") }
                usleep(1_000_000)
            }
        }
    }
}
