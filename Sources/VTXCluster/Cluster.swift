import VTXJSON
package import VTXJobs
import VTXSystem

/// The shared state of a cluster's servers and workers, on NATS JetStream.
///
/// `vtx serve --cluster` accepts jobs; `vtx worker --cluster` runs them, on any number of hosts. All hosts see the
/// media under the same path.
///
/// | Where | What |
/// | --- | --- |
/// | key-value `vtx-jobs` | each job: a `ClusterRecord`, updated by compare-and-swap on its revision |
/// | stream `vtx-jobs` | one message for each waiting or running job, by its requirements (`WorkSubject`) |
/// | stream `vtx-events` | other reports of workers: notices, plans, receipts |
/// | key-value `vtx-workers` | the live workers, with their devices; a value expires after a minute |
/// | key-value `vtx-outputs` | the outputs by their paths: the job that writes each, and what has been written |
/// | `vtx.progress.JOB`, `vtx.changed.JOB` | a job's progress; a user's request for a job. Not stored. |
/// | `vtx.picture.JOB.WHICH`, `vtx.ask.WORKER` | a thumbnail of a job; a server's request to a worker. Not stored. |
///
/// A job's life cycle is `Job`, the same pure state machine as on a single host. A host that applies an event writes
/// the result only if the record has not changed since it was read; otherwise it reads again. A worker may write as
/// long as the record has its claim. Therefore:
///
/// - A job has one worker. Its message is delivered to one of them, which claims the record. While the worker's job
///   loop runs, it confirms each of its messages. If it falls silent for `silence` seconds, NATS delivers the message
///   to another worker, which claims the record, counts a lost worker, and resumes from the journal next to the output.
///   If the first worker is still alive, it notices that the claim is no longer its own, and stops.
/// - A job that loses its worker three times without progress is parked, as on a single host. The record counts this,
///   not NATS, which would drop the message silently.
/// - An output gets its name once. Before that, the record announces the file, which only the claim's holder can do.
///   The next worker to claim the job checks whether the file has its name, or renames it.
/// - Without NATS, work continues, and records are written later. When NATS is back, workers whose claims have been
///   taken over stop.
package final class Cluster: Sendable {
    struct Prepared: Sendable {
        var jobs: KeyValueBucket
        var workers: KeyValueBucket
        var outputs: KeyValueBucket
        var subscriptions: [JetStream.Consumer: NATSSubscription] = [:]
    }

    let connection: NATSConnection
    let jetStream: JetStream
    private let replicas: Int?
    private let prepared = Locked<Prepared?>(nil)

    /// How long a worker may be silent before it counts as lost, in seconds.
    package static let silence = 30.0
    static let workStream = "vtx-jobs"
    static let eventStream = "vtx-events"
    private static let jobBucket = "vtx-jobs"

    /// - Parameters:
    ///   - servers: The URLs of NATS servers.
    ///   - name: The name of this client.
    ///   - replicas: The number of servers that store everything; nil for three if there are three, else one.
    package init(servers: [String], name: String, replicas: Int? = nil) throws(NATSError) {
        connection = try NATSConnection(servers: servers, name: name)
        jetStream = try JetStream(connection)
        self.replicas = replicas
    }

    package var isConnected: Bool { connection.isConnected }

    /// Returns streams and buckets, creating those that are missing.
    private func resources() throws(NATSError) -> Prepared {
        try prepared.withLock { prepared throws(NATSError) in
            if let prepared { return prepared }
            let made = try prepare()
            prepared = made
            return made
        }
    }

    private func prepare() throws(NATSError) -> Prepared {
        guard isConnected else {
            throw NATSError(.unreachable, "connect", connection.lastFailure ?? "no NATS server responds")
        }
        let replicas = replicas ?? (connection.serverCount >= 3 ? 3 : 1)
        var work = JetStream.Stream(Self.workStream, subject: "vtx.work.>")
        work.isWorkQueue = true
        // A message that is offered again replaces the existing one.
        work.maxMessagesPerSubject = 1
        try jetStream.ensure(work, replicas: replicas)
        var events = JetStream.Stream(Self.eventStream, subject: "vtx.events.>")
        events.maxMessages = 100_000
        events.maxAge = 7 * 86400
        try jetStream.ensure(events, replicas: replicas)
        return Prepared(
            jobs: try jetStream.bucket(Self.jobBucket, seconds: nil, replicas: replicas),
            workers: try jetStream.bucket("vtx-workers", seconds: 60, replicas: replicas),
            outputs: try jetStream.bucket("vtx-outputs", seconds: nil, replicas: replicas))
    }

    /// Runs `body`. If a server has lost its streams, creates everything again.
    func using<Result>(
        _ body: (Prepared) throws(NATSError) -> Result
    ) throws(NATSError) -> Result {
        let resources = try resources()
        do throws(NATSError) { return try body(resources) } catch {
            if error.kind == .missing { prepared.withLock { $0 = nil } }
            throw error
        }
    }

    private func subscription(_ consumer: JetStream.Consumer) throws(NATSError) -> NATSSubscription {
        _ = try resources()
        if let known = prepared.withLock({ $0?.subscriptions[consumer] }) { return known }
        try jetStream.ensure(consumer)
        let subscription = try jetStream.subscribe(to: consumer)
        prepared.withLock { $0?.subscriptions[consumer] = subscription }
        return subscription
    }

    func fetch(
        _ consumer: JetStream.Consumer, _ count: Int, seconds: Double
    ) throws(NATSError) -> [NATSMessage] {
        do throws(NATSError) { return try subscription(consumer).fetch(count, seconds: seconds) } catch {
            // The consumer may have been lost with its server's disk.
            prepared.withLock { $0?.subscriptions[consumer] = nil }
            if error.kind == .missing { prepared.withLock { $0 = nil } }
            throw error
        }
    }
}

/// News of the cluster for a server.
package enum ClusterNews: Sendable {
    case change(Cluster.Change)
    /// A message of `reports`.
    case report(NATSMessage)
    /// A message of `listenToPictures`.
    case picture(NATSMessage)
}

// MARK: Jobs

extension Cluster {
    package typealias Revised = (record: ClusterRecord, revision: UInt64)

    package func record(_ id: JobID) throws(NATSError) -> Revised? {
        let found = try using { prepared throws(NATSError) in try prepared.jobs.value(id.text) }
        guard let found else { return nil }
        return (try Self.record(found.text, id.text), found.revision)
    }

    private static func record(_ text: String, _ key: String) throws(NATSError) -> ClusterRecord {
        do { return try JSONValue(parsing: text).decoded() } catch {
            throw NATSError(.refused, "read job '\(key)'", "it is not a record of this version: \(error)")
        }
    }

    /// - Returns: the revision; nil if the job already has a record.
    package func create(_ record: ClusterRecord) throws(NATSError) -> UInt64? {
        try using { prepared throws(NATSError) in
            try prepared.jobs.create(record.job.id.text, try Self.text(record))
        }
    }

    /// Writes a record unconditionally.
    package func put(_ record: ClusterRecord) throws(NATSError) {
        let text = try Self.text(record)
        try using { prepared throws(NATSError) in try prepared.jobs.put(record.job.id.text, text) }
    }

    /// - Returns: the new revision; nil if the record has another one than given.
    package func replace(_ record: ClusterRecord, revision: UInt64) throws(NATSError) -> UInt64? {
        try using { prepared throws(NATSError) in
            try prepared.jobs.replace(record.job.id.text, try Self.text(record), revision: revision)
        }
    }

    private static func text(_ record: ClusterRecord) throws(NATSError) -> String {
        do { return try JSONValue(encoding: record).text } catch {
            throw NATSError(.refused, "write job '\(record.job.id)'", "\(error)")
        }
    }

    /// Removes the record of a job that ended long ago.
    package func remove(_ id: JobID) throws(NATSError) {
        try using { prepared throws(NATSError) in try prepared.jobs.remove(id.text) }
    }

    /// Returns the jobs that have changed since this server's last call, in their current state.
    ///
    /// - Parameter server: The server, which has its own position.
    package func changes(for server: String, seconds: Double) throws(NATSError) -> [Change] {
        _ = try resources()
        let consumer = JetStream.Consumer(
            "serve-\(server)", of: "KV_\(Self.jobBucket)", subject: "$KV.\(Self.jobBucket).>", ackSeconds: Self.silence)
        return try fetch(consumer, 64, seconds: seconds).map { message in
            let key = String(message.subject.split(separator: ".").last ?? "")
            // Unreadable records were removed, or are from a later version.
            return Change(record: try? Self.record(message.text, key), revision: message.sequence, message: message)
        }
    }

    package struct Change: Sendable {
        package var record: ClusterRecord?
        package var revision: UInt64
        package var message: NATSMessage
    }
}
