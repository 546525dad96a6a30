import Glibc
import Testing
import VTXJSON
import VTXJobs
@testable import VTXStore
import VTXSystem

@Suite("The store on SQLite")
struct SQLiteStoreTests {
    private let place: Place
    private let store: SQLiteStore

    init() throws {
        place = try Place()
        store = try place.store()
    }

    @Test("returns what was stored, also after reopening")
    func persistence() throws {
        var changed = job(1, labels: ["tenant": "a", "show": "ä'\"; DROP TABLE jobs"])
        #expect(try store.add(changed, key: nil, [event("job.queued", changed)]) == .new([1]))
        _ = try changed.handle(.plan(worker: "w"), at: Timestamp(seconds: 2))
        #expect(try store.save([changed], [event("job.planning", changed)]) == [2])
        try store.put(["codec": "hevc"], "presets", "small")
        store.close()
        let again = try place.store()
        #expect(try again.job(changed.id) == changed)
        #expect(try again.active() == [changed])
        #expect(
            try again.events(after: 0, of: changed.id, limit: 9).map(\.event.type) == ["job.queued", "job.planning"])
        #expect(try again.record("presets", "small") == ["codec": "hevc"])
        #expect(try again.job(job(2).id) == nil)
    }

    @Test("finds and removes records by the beginning of their names")
    func prefixes() throws {
        for name in ["a", "a\n1", "a\n\u{10fffe}", "a\n2", "ab\n1", "b"] { try store.put([:], "files", name) }
        try store.put([:], "others", "a\n1")
        #expect(try store.records("files", prefix: "a\n").map(\.name) == ["a\n1", "a\n2", "a\n\u{10fffe}"])
        #expect(try store.records("files").count == 6)
        try store.removeRecords("files", ["a\n1", "a\n2", "none"])
        #expect(try store.records("files").map(\.name) == ["a", "a\n\u{10fffe}", "ab\n1", "b"])
        #expect(try store.records("others").map(\.name) == ["a\n1"])
    }

    @Test("only its user can read it, also if it was readable")
    func permissions() throws {
        store.close()
        #expect(chmod(place.path, 0o644) == 0)
        let again = try place.store()
        _ = try again.add(job(1), key: nil, [])
        for path in [place.path, place.path + "-wal"] {
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
    }

    @Test("two requests with the same key give one job")
    func idempotency() throws {
        let (first, second) = (job(1), job(2))
        let key = IdempotencyKey(key: "k", digest: "d")
        #expect(try store.added(by: key) == nil)
        #expect(try store.add(first, key: key, []) == .new([]))
        #expect(try store.added(by: key) == .existing(first))
        #expect(try store.add(second, key: key, []) == .existing(first))
        #expect(try store.add(second, key: IdempotencyKey(key: "k", digest: "other"), []) == .conflict)
        #expect(try store.counts() == [.queued: 1])
    }

    @Test("pages have every job once, even while others are added")
    func pages() throws {
        for number in 1...25 { _ = try store.add(job(number, labels: ["odd": "\(number % 2)"]), key: nil, []) }
        var seen: [Int64] = []
        var cursor: Int64?
        repeat {
            let page = try store.list(JobQuery(labels: ["odd": "1"], cursor: cursor, limit: 5))
            seen += page.jobs.map { Int64($0.createdAt.seconds) }
            cursor = page.cursor
            _ = try store.add(job(100 + seen.count, labels: ["odd": "1"]), key: nil, [])
        } while cursor != nil
        #expect(seen == Array(stride(from: 25, through: 1, by: -2)))
        #expect(try store.list(JobQuery(states: [.failed])).jobs.isEmpty)
    }

    @Test("offers each tenant's first jobs, by priority")
    func candidates() throws {
        for number in 1...50 { _ = try store.add(job(number, labels: ["tenant": "big"]), key: nil, []) }
        _ = try store.add(job(60, priority: 5, labels: ["tenant": "big"]), key: nil, [])
        _ = try store.add(job(70, labels: ["tenant": "small"]), key: nil, [])
        _ = try store.add(job(80), key: nil, [])
        let found = try store.candidates(at: Timestamp(seconds: 0), CandidateQuery(perLane: 2))
        #expect(found.map { Int($0.createdAt.seconds) }.sorted() == [1, 60, 70, 80])
    }

    @Test("a tenant's jobs that wait for downloads hide no others, also in an older database")
    func lanes() throws {
        for number in 1...50 { _ = try store.add(job(number, url: "https://a.example/\(number)"), key: nil, []) }
        _ = try store.add(job(60), key: nil, [])
        let numbers = { (store: SQLiteStore) in
            let queries = [CandidateQuery(perLane: 2), CandidateQuery(areFetched: true, perLane: 2)]
            return try queries.map { query in
                try store.candidates(at: Timestamp(seconds: 0), query).map { Int($0.createdAt.seconds) }.sorted()
            }
        }
        #expect(try numbers(store) == [[60], [1, 2]])
        store.close()
        let older = "UPDATE jobs SET lane = ''; ALTER TABLE jobs RENAME COLUMN lane TO tenant; PRAGMA user_version = 1"
        try SQLiteConnection(place.path, .writing).execute(older)
        #expect(try numbers(place.store()) == [[60], [1, 2]])
    }

    @Test("downloads of many tenants hide none")
    func manyDownloads() throws {
        for number in 1...200 {
            let labels = ["tenant": "\(number)"]
            _ = try store.add(job(number, labels: labels, url: "https://a.example/\(number)"), key: nil, [])
        }
        _ = try store.add(job(300, labels: ["tenant": "late"]), key: nil, [])
        let found = try store.candidates(at: Timestamp(seconds: 0), CandidateQuery())
        #expect(found.map(\.createdAt.seconds) == [300])
    }

    @Test("of many tenants' jobs it offers a few, by priority and age, and only those above a rank if asked")
    func manyTenants() throws {
        for number in 1...300 { _ = try store.add(job(number, labels: ["tenant": "\(number % 150)"]), key: nil, []) }
        _ = try store.add(job(400, priority: 2, labels: ["tenant": "late"]), key: nil, [])
        let found = try store.candidates(at: Timestamp(seconds: 0), CandidateQuery()).map(\.createdAt.seconds)
        #expect(found.sorted() == (1...127).map { Double($0) } + [400])
        let above = try store.candidates(at: Timestamp(seconds: 0), CandidateQuery(above: 1))
        #expect(above.map(\.createdAt.seconds) == [400])
    }

    @Test("offers a waiting job only at its time")
    func retries() throws {
        var waiting = job(1)
        _ = try store.add(waiting, key: nil, [])
        _ = try waiting.handle(.plan(worker: "w"), at: Timestamp(seconds: 0))
        _ = try waiting.handle(.failed(Failure(.network, "x", "y")), at: Timestamp(seconds: 100))
        _ = try store.save([waiting], [])
        let due = try #require(try store.nextRetry(after: Timestamp(seconds: 0)))
        #expect(due == waiting.retryAt)
        #expect(try store.candidates(at: due + -0.001, CandidateQuery(perLane: 1)).isEmpty)
        #expect(try store.candidates(at: due, CandidateQuery(perLane: 1)) == [waiting])
        // The clock was set back meanwhile.
        #expect(try store.candidates(at: due + -86400, CandidateQuery(perLane: 1)) == [waiting])
    }

    @Test("removes old jobs with all their data")
    func removal() throws {
        var old = job(1, labels: ["a": "b"])
        _ = try store.add(old, key: IdempotencyKey(key: "k", digest: "d"), [event("job.queued", old)])
        try store.put([:], RecordCollections.plans, old.id.text)
        _ = try store.add(job(2), key: nil, [])
        _ = try old.handle(.cancel, at: Timestamp(seconds: 5))
        _ = try store.save([old], [])
        #expect(try store.removeEnded(before: Timestamp(seconds: 5), limit: 9).isEmpty)
        #expect(try store.removeEnded(before: Timestamp(seconds: 6), limit: 9) == [old])
        #expect(try store.events(after: 0, of: old.id, limit: 9).isEmpty)
        #expect(try store.record(RecordCollections.plans, old.id.text) == nil)
        #expect(try store.list(JobQuery(labels: ["a": "b"])).jobs.isEmpty)
        #expect(try store.counts() == [.queued: 1])
    }

    @Test("keeps the newest events, and continues their numbers")
    func trimming() throws {
        for _ in 0..<10 { _ = try store.save([], [event("x")]) }
        try store.trimEvents(to: 3)
        #expect(try store.events(after: 0, of: nil, limit: 99).map(\.number) == [8, 9, 10])
        #expect(try store.save([], [event("x")]) == [11] && store.lastEventNumber() == 11)
    }

    @Test("many writers at once lose nothing, and their events are delivered in order")
    func writers() throws {
        let group = ThreadGroup()
        let delivered = Locked<[Int64]>([])
        store.observe { events in delivered.withLock { $0 += events.map(\.number) } }
        for writer in 0..<8 {
            group.run("writer") { [store] in
                for number in 1...50 { _ = try store.add(job(writer * 1000 + number), key: nil, [event("x")]) }
            }
        }
        try group.wait()
        #expect(try store.counts() == [.queued: 400] && store.lastEventNumber() == 400)
        #expect(delivered.withLock(\.self) == Array(1...400))
    }

    @Test("agrees with the model for any operations", arguments: [1, 2, 3] as [UInt64])
    func model(seed: UInt64) throws {
        let model = MemoryStore()
        var random = Numbers(state: seed)
        var jobs: [Job] = []
        for step in 0..<120 {
            let now = Timestamp(seconds: Double(step))
            if jobs.isEmpty || random.next() % 3 == 0 {
                let labels = ["tenant": "\(random.next() % 3)", "show": "\(random.next() % 2)"]
                let new = job(step, priority: Int(random.next() % 3), labels: labels)
                jobs.append(new)
                _ = try store.add(new, key: nil, [])
                _ = model.add(new)
            } else {
                let index = Int(random.next() % UInt64(jobs.count))
                let events: [JobEvent] = [
                    .plan(worker: "w"), .planned(Workload(stages: [:], frameRate: 25)), .cancel, .pause, .resume,
                    .retry, .failed(Failure(.network, "n", "n")), .stopped,
                ]
                _ = try? jobs[index].handle(events.randomElement(using: &random)!, at: now)
                _ = try store.save([jobs[index]], [])
                model.save([jobs[index]])
            }
            #expect(try Self.same(store, model, now))
        }
    }

    private static func same(_ store: SQLiteStore, _ model: MemoryStore, _ now: Timestamp) throws -> Bool {
        let ids = { (jobs: [Job]) in jobs.map(\.id.text).sorted() }
        let (show, both) = (["show": "1"], ["show": "0", "tenant": "2"])
        let queries = [
            JobQuery(states: [.queued, .cancelled], limit: 7), JobQuery(labels: show, limit: 3),
            JobQuery(labels: both, cursor: 30, limit: 2), JobQuery(states: [.cancelled], labels: both, cursor: 25),
            JobQuery(states: [.queued, .paused], labels: show, limit: 2),
        ]
        let few = CandidateQuery(perLane: 2)
        return try queries.allSatisfy { try store.list($0) == model.list($0) }
            && ids(store.candidates(at: now, few)) == ids(model.candidates(at: now, few))
            && store.counts() == model.counts() && store.active() == model.active()
            && store.begun() == model.begun()
            && store.nextRetry(after: now) == model.nextRetry(after: now)
    }

    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 17 ^ state
        }
    }
}
