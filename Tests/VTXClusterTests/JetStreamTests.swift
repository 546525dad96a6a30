import Testing
import VTXCluster
import VTXJSON
import VTXJobs

@Suite(
    "A cluster's state on JetStream",
    .enabled(if: NATSServer.isInstalled, "nats-server is not installed"), .serialized)
struct JetStreamTests {
    private func job(_ text: String = "0123456789abcdefghjk") throws -> Job {
        Job(
            id: try #require(JobID(text)), JobSpecification(input: .init(path: "/media/in.mkv")),
            at: Timestamp(milliseconds: 1_800_000_000_000))
    }

    private func cluster(_ server: NATSServer, _ name: String = "test") throws -> Cluster {
        try Cluster(servers: [server.url], name: name)
    }

    @Test("only a client that has read a record's last revision can change it")
    func recordsAreComparedAndSet() throws {
        let server = try NATSServer()
        let cluster = try cluster(server)
        var record = ClusterRecord(try job())
        let first = try until { try cluster.create(record) }
        #expect(try cluster.create(record) == nil)
        record.claims = 1
        let second = try #require(try cluster.replace(record, revision: first))
        #expect(try cluster.replace(record, revision: first) == nil)
        let found = try #require(try cluster.record(record.job.id))
        #expect(found.record == record)
        #expect(found.revision == second)
        #expect(try cluster.record(try #require(JobID("zzzzzzzzzzzzzzzzzzzz"))) == nil)
    }

    @Test("a removed record can be created again, and is missing until then")
    func removedAndCreated() throws {
        let server = try NATSServer()
        let cluster = try cluster(server)
        let record = ClusterRecord(try job())
        _ = try until { try cluster.create(record) }
        try cluster.remove(record.job.id)
        #expect(try cluster.record(record.job.id) == nil)
        let revision = try #require(try cluster.create(record))
        #expect(try cluster.record(record.job.id)?.revision == revision)
        #expect(try cluster.create(record) == nil)
    }

    @Test("work belongs to one worker until it is returned, and is removed when acknowledged")
    func workIsDeliveredOnce() throws {
        let server = try NATSServer()
        let (one, other) = (try cluster(server, "one"), try cluster(server, "other"))
        let job = try job()
        _ = try until { try one.offer(job) }
        try one.offer(job)
        let message = try #require(try one.nextWork(hardware: false))
        #expect(WorkSubject.job(of: message.subject) == job.id)
        #expect(try other.nextWork(hardware: true) == nil)
        try one.giveBack(message)
        let again = try until { try other.nextWork(hardware: true) }
        #expect(again.sequence == message.sequence)
        #expect(again.deliveries == 2)
        try other.acknowledge(again)
        #expect(try one.nextWork(hardware: true) == nil)
    }

    @Test("if two servers offer a job, the second keeps the message that a worker has")
    func offersThatAreThereStay() throws {
        let server = try NATSServer()
        let (one, other) = (try cluster(server, "one"), try cluster(server, "other"))
        let job = try job()
        _ = try until { try one.offerIfMissing(job) }
        let message = try #require(try one.nextWork(hardware: false))
        try other.offerIfMissing(job)
        #expect(try other.nextWork(hardware: false) == nil)
        try one.giveBack(message)
        let again = try until { try other.nextWork(hardware: false) }
        #expect(again.sequence == message.sequence)
        try other.acknowledge(again)
        let next = try until {
            try one.offerIfMissing(job)
            return try one.nextWork(hardware: false)
        }
        #expect(next.sequence > message.sequence)
    }

    @Test("a job of high priority comes first, and one that needs a GPU goes to workers with one")
    func workIsSorted() throws {
        let server = try NATSServer()
        let cluster = try cluster(server)
        let low = try job()
        var (high, gpu) = (try job("1123456789abcdefghjk"), try job("2123456789abcdefghjk"))
        _ = try high.handle(.prioritize(5), at: high.createdAt)
        gpu = Job(
            id: gpu.id, JobSpecification(input: .init(path: "/media/in.mkv"), settings: ["hardware": "require"]),
            at: gpu.createdAt)
        _ = try until { try cluster.offer(low) }
        for job in [gpu, high] { try cluster.offer(job) }
        let order = [false, false, false, true].map { try? cluster.nextWork(hardware: $0) }
        #expect(order.map { $0.flatMap { WorkSubject.job(of: $0.subject) } } == [high.id, low.id, nil, gpu.id])
    }

    @Test("each server receives every change, including those while it was disconnected")
    func changesReachEachServer() throws {
        let server = try NATSServer()
        let cluster = try cluster(server)
        let record = ClusterRecord(try job())
        _ = try until { try cluster.create(record) }
        for name in ["one", "other"] {
            let change = try #require(try cluster.changes(for: name, seconds: 2).first)
            #expect(change.record == record)
            try cluster.acknowledge(change.message)
        }
        try cluster.report("text", of: "event")
        let report = try #require(try cluster.reports(for: "one", seconds: 2).first)
        #expect(report.subject == "vtx.events.event")
        #expect(report.text == "text")
    }

    @Test("without a server everything fails at once, and nothing is lost when it returns")
    func serversComeBack() throws {
        let server = try NATSServer()
        let cluster = try cluster(server)
        let job = try job()
        let revision = try until { try cluster.create(ClusterRecord(job)) }
        try cluster.offer(job)
        let message = try #require(try cluster.nextWork(hardware: false))
        server.stop()
        #expect(throws: NATSError.self) { try cluster.record(job.id) }
        try server.start()
        #expect(try until { try cluster.record(job.id) }.revision == revision)
        try cluster.giveBack(message)
        #expect(try until { try cluster.nextWork(hardware: false) }.sequence == message.sequence)
    }

    @Test("a cluster starts when its servers become available")
    func serversMayComeLater() throws {
        let server = try NATSServer()
        server.stop()
        let cluster = try cluster(server)
        #expect(throws: NATSError.self) { try cluster.workers() }
        try server.start()
        #expect(try until { try cluster.workers() }.isEmpty)
    }

    @Test("an output is one job's until that one ends")
    func outputsAreClaimed() throws {
        let server = try NATSServer()
        let cluster = try cluster(server)
        let (path, other) = ("/media/an output.mp4", try #require(JobID("1123456789abcdefghjk")))
        var record = ClusterRecord(try job())
        let revision = try until { try cluster.create(record) }
        for _ in 0..<2 { #expect(try cluster.claim(output: path, for: record.job.id) == nil) }
        #expect(try cluster.claim(output: path, for: other) == record.job.id)
        #expect(try cluster.claim(output: "/media/other.mp4", for: other) == nil)
        _ = try record.job.handle(.cancel, at: record.job.createdAt)
        _ = try cluster.replace(record, revision: revision)
        #expect(try cluster.claim(output: path, for: other) == nil)
    }

    @Test("what a job has written is known until another one writes there")
    func outputsAreKnown() throws {
        let server = try NATSServer()
        let cluster = try cluster(server)
        #expect(try until { .some(try cluster.output("/media/out.mp4")) } == nil)
        for bytes: JSONValue in [1, 2] {
            try cluster.put(output: "/media/out.mp4", ["bytes": bytes])
            #expect(try cluster.output("/media/out.mp4") == ["bytes": bytes])
        }
    }

    @Test("workers are listed while they send heartbeats")
    func workersAreListed() throws {
        let server = try NATSServer()
        let cluster = try cluster(server)
        _ = try until { try cluster.put(worker: "a", ["worker": "host/1"]) }
        #expect(try cluster.workers() == [["worker": "host/1"]])
        try cluster.remove(worker: "a")
        #expect(try cluster.workers().isEmpty)
    }
}
