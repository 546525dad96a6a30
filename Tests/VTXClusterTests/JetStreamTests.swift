import Testing
import VTXCluster
import VTXJSON
import VTXJobs

@Suite(
    "What a cluster keeps on JetStream",
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

    @Test("a record is changed only by those who have read its last revision")
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

    @Test("work is one worker's until it is given back, and is gone when it was acknowledged")
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

    @Test("of two servers that offer a job, the second leaves the message that a worker has")
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

    @Test("a job of a high priority comes first, and one that needs a GPU to those who have one")
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

    @Test("each server hears of every change, also of those while it was away")
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

    @Test("without a server everything fails at once, and with it back nothing is lost")
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

    @Test("a cluster whose servers are not there yet begins when they are")
    func serversMayComeLater() throws {
        let server = try NATSServer()
        server.stop()
        let cluster = try cluster(server)
        #expect(throws: NATSError.self) { try cluster.workers() }
        try server.start()
        #expect(try until { try cluster.workers() }.isEmpty)
    }

    @Test("workers are there as long as they say so")
    func workersAreListed() throws {
        let server = try NATSServer()
        let cluster = try cluster(server)
        _ = try until { try cluster.put(worker: "a", ["worker": "host/1"]) }
        #expect(try cluster.workers() == [["worker": "host/1"]])
        try cluster.remove(worker: "a")
        #expect(try cluster.workers().isEmpty)
    }
}
