import Glibc
import VTXJSON
import VTXJobs
import VTXSystem

/// Stores the decisions of the job loop. The log notifies listeners once they are on disk.
final class JobLedger {
    private let store: any JobStore & RecordStore & EventLog
    private let metrics: Metrics
    private let snapshot: Locked<JobLoop.Snapshot>
    /// The name of this server in its cluster.
    private let server: String?
    private var eventsSinceTrim = 0
    /// Whether the server stopped while the store failed. It then ends as if it had been killed: nothing depends on what
    /// could not be stored.
    private(set) var hasGivenUp = false
    /// How often something was not stored, which trying again would not change.
    private(set) var lossCount = 0

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

    /// - Parameter why: The reason of the change, for readers of the events.
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

    /// - Parameter position: The source of the event. It is stored together with the event, or neither is.
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

    /// Retries until it succeeds, or the server stops. A disk that is full or does not respond blocks the loop, not the
    /// server, and loses nothing.
    func retrying(_ body: () throws(StoreError) -> Void) {
        while !hasGivenUp {
            do throws(StoreError) {
                try body()
                return snapshot.withLock { $0.storeFailure = nil }
            } catch {
                let isKnown = snapshot.withLock { snapshot in
                    defer { snapshot.storeFailure = error }
                    return snapshot.storeFailure?.kind == error.kind
                }
                guard [.full, .busy, .disk].contains(error.kind) else {
                    lossCount += 1
                    return Log.error("\(error)")
                }
                if snapshot.withLock({ $0.isStopping }) {
                    hasGivenUp = true
                    return Log.error("\(error); the next start continues from what is written")
                }
                if !isKnown { Log.error("\(error); retrying") }
                usleep(1_000_000)
            }
        }
    }
}
