import VTXJSON
package import VTXJobs
import VTXSystem

/// What the servers and workers of a cluster share, on NATS JetStream.
///
/// `vtx serve --cluster` takes jobs; `vtx worker --cluster` does them, on as many hosts as there are. Media lies where all
/// of them see it under the same path.
///
/// | Where | What |
/// | --- | --- |
/// | key-value `vtx-jobs` | each job: a `ClusterRecord`, changed by comparing its revision |
/// | stream `vtx-jobs` | one message for each job that waits or is worked on, by what it needs (`WorkSubject`) |
/// | stream `vtx-events` | what workers tell besides: notices, plans, receipts |
/// | key-value `vtx-workers` | the workers that are alive, with their devices; a value lasts a minute |
/// | `vtx.progress.JOB`, `vtx.changed.JOB` | how far a job is; a user wants something of it. Not kept. |
/// | `vtx.picture.JOB.WHICH`, `vtx.ask.WORKER` | a small picture of a job; what a server wants of a worker. Not kept. |
///
/// A job's life is `Job`, the same pure state machine as on one host. Each host that applies an event to it writes the
/// result only if the record still is what it was read as; else it reads again. A worker may write as long as the record has its
/// claim. So:
///
/// - A job is one worker's. Its message is delivered to one of them, which claims the record. As long as the worker's job
///   loop runs, it says so for each message that it has. When it falls silent for `silence` seconds, NATS delivers the
///   message to another one, which claims the record, notes a lost worker, and goes on with the journal that lies beside
///   the output. The first, should it still live, finds that the claim is not its own, and stops.
/// - A job that loses its worker three times without progress is parked, as on one host. That is counted in the record,
///   not by NATS, which would drop the message and tell no one.
/// - An output gets its name once. "This file is about to be it" is written into the record first, which only the claim's
///   holder can. Who claims a job after that looks whether the file has its name, or gives it.
/// - Without NATS, work goes on, and what is to be written down waits. With it back, workers whose claims have gone to
///   others stop.
package final class Cluster: Sendable {
    struct Prepared: Sendable {
        var jobs: KeyValueBucket
        var workers: KeyValueBucket
        var subscriptions: [JetStream.Consumer: NATSSubscription] = [:]
    }

    let connection: NATSConnection
    let jetStream: JetStream
    private let replicas: Int?
    private let prepared = Locked<Prepared?>(nil)

    /// Seconds without a sign after which a job's worker counts as lost.
    package static let silence = 30.0
    static let workStream = "vtx-jobs"
    static let eventStream = "vtx-events"
    private static let jobBucket = "vtx-jobs"

    /// - Parameters:
    ///   - servers: URLs of NATS servers.
    ///   - name: of this end.
    ///   - replicas: on how many servers everything is kept; nil for three where there are three, else one.
    package init(servers: [String], name: String, replicas: Int? = nil) throws(NATSError) {
        connection = try NATSConnection(servers: servers, name: name)
        jetStream = try JetStream(connection)
        self.replicas = replicas
    }

    package var isConnected: Bool { connection.isConnected }

    /// Streams and buckets, made where they are not there yet.
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
            throw NATSError(.unreachable, "connect", connection.lastFailure ?? "no NATS server answers")
        }
        let replicas = replicas ?? (connection.serverCount >= 3 ? 3 : 1)
        var work = JetStream.Stream(Self.workStream, subject: "vtx.work.>")
        work.isWorkQueue = true
        // A message that is offered again replaces the one that is there.
        work.maxMessagesPerSubject = 1
        try jetStream.ensure(work, replicas: replicas)
        var events = JetStream.Stream(Self.eventStream, subject: "vtx.events.>")
        events.maxMessages = 100_000
        events.maxAge = 7 * 86400
        try jetStream.ensure(events, replicas: replicas)
        return Prepared(
            jobs: try jetStream.bucket(Self.jobBucket, seconds: nil, replicas: replicas),
            workers: try jetStream.bucket("vtx-workers", seconds: 60, replicas: replicas))
    }

    /// After a server that has lost its streams, everything is made again.
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
            // The consumer may have gone with its server's disk.
            prepared.withLock { $0?.subscriptions[consumer] = nil }
            if error.kind == .missing { prepared.withLock { $0 = nil } }
            throw error
        }
    }
}

/// What a server hears of its cluster.
package enum ClusterNews: Sendable {
    case change(Cluster.Change)
    /// One of `reports`.
    case report(NATSMessage)
    /// One of `listenToPictures`.
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
            throw NATSError(.refused, "read job '\(key)'", "it is no record of this version: \(error)")
        }
    }

    /// - Returns: the revision; nil where the job has a record.
    package func create(_ record: ClusterRecord) throws(NATSError) -> UInt64? {
        try using { prepared throws(NATSError) in
            try prepared.jobs.create(record.job.id.text, try Self.text(record))
        }
    }

    /// Writes a record whatever was there.
    package func put(_ record: ClusterRecord) throws(NATSError) {
        let text = try Self.text(record)
        try using { prepared throws(NATSError) in try prepared.jobs.put(record.job.id.text, text) }
    }

    /// - Returns: the new revision; nil where the record has another than this one.
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

    /// Forgets a job that has ended long ago.
    package func remove(_ id: JobID) throws(NATSError) {
        try using { prepared throws(NATSError) in try prepared.jobs.remove(id.text) }
    }

    /// The jobs that have changed since this server last asked, each as it is now.
    ///
    /// - Parameter server: has its own place in what it has seen.
    package func changes(for server: String, seconds: Double) throws(NATSError) -> [Change] {
        _ = try resources()
        let consumer = JetStream.Consumer(
            "serve-\(server)", of: "KV_\(Self.jobBucket)", subject: "$KV.\(Self.jobBucket).>", ackSeconds: Self.silence)
        return try fetch(consumer, 64, seconds: seconds).map { message in
            let key = String(message.subject.split(separator: ".").last ?? "")
            // One that cannot be read was removed, or is a later version's.
            return Change(record: try? Self.record(message.text, key), revision: message.sequence, message: message)
        }
    }

    package struct Change: Sendable {
        package var record: ClusterRecord?
        package var revision: UInt64
        package var message: NATSMessage
    }
}
