import Testing
import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem

@Suite("Claims of a cluster's jobs")
struct ClaimTests {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)

    private func job(_ settings: [String: JSONValue] = [:], priority: Int = 0) throws -> Job {
        let id = try #require(JobID("0123456789abcdefghjk"))
        return Job(
            id: id, JobSpecification(input: .init(path: "/media/in.mkv"), settings: settings, priority: priority),
            at: start)
    }

    private func taken(_ answer: ClaimAnswer) throws -> ClusterRecord {
        guard case .take(let record) = answer else {
            Issue.record("the answer is \(answer)")
            throw Failure(.worker, "test", "not taken")
        }
        return record
    }

    /// A record whose job runs at `a`, by message 7.
    private func running() throws -> ClusterRecord {
        var record = try taken(ClusterRecord(try job()).answer(to: "a", message: 7, at: start))
        _ = try record.job.handle(.plan(worker: "a"), at: start)
        _ = try record.job.handle(.planned(Workload(stages: [:], frameRate: 25)), at: start)
        _ = try record.job.handle(.start(worker: "a", [.encode: .cpu]), at: start)
        return record
    }

    @Test("the first worker claims a waiting job")
    func aNewJobIsTaken() throws {
        let record = try taken(ClusterRecord(try job()).answer(to: "a", message: 7, at: start))
        #expect(record.claim?.worker == "a")
        #expect(record.claim?.number == 1)
        #expect(record.job.state == .queued)
    }

    @Test("the record has the accepting server and the key")
    func originsAreKept() throws {
        let origin = JobOrigin(server: "one", key: IdempotencyKey(key: "k", digest: "d"))
        let job = Job(
            id: try job().id, JobSpecification(input: .init(path: "/media/in.mkv")), at: start, origin: origin)
        let read: ClusterRecord = try JSONValue(encoding: ClusterRecord(job)).decoded()
        #expect(read.job.origin == origin)
        // One of an earlier version.
        var old = try #require(try JSONValue(encoding: self.job()).object)
        old["origin"] = nil
        #expect(try JSONValue.object(old).decoded(Job.self) == self.job())
    }

    @Test("a second message for a job that runs is dropped")
    func duplicatesAreDropped() throws {
        #expect(try running().answer(to: "b", message: 8, at: start) == .drop)
    }

    @Test("a redelivered message means that its worker is lost: the next one claims the job")
    func aLostWorkersJobIsResumed() throws {
        let record = try taken(try running().answer(to: "b", message: 7, at: start + 60))
        #expect(record.claim == ClusterRecord.Claim(worker: "b", number: 2, message: 7))
        #expect(record.job.state == .queued)
        #expect(record.job.attempts.last?.outcome == .failed)
        #expect(record.job.attempts.last?.failure?.code == "worker.lost")
    }

    @Test("a job that loses three workers without progress is parked")
    func aPoisonJobIsParked() throws {
        var record = try running()
        for name in ["b", "c"] {
            record = try taken(record.answer(to: name, message: 7, at: start + 60))
            _ = try record.job.handle(.plan(worker: name), at: start)
        }
        guard case .settle(let parked, let actions) = record.answer(to: "d", message: 7, at: start + 120) else {
            Issue.record("it goes on")
            return
        }
        #expect(parked.job.state == .failed)
        #expect(parked.job.failure?.code == "job.poison")
        #expect(parked.claim == nil)
        #expect(actions == [.ended])
    }

    @Test("progress resets the count of lost workers")
    func progressCounts() throws {
        var record = try running()
        for (count, name) in ["b", "c", "d", "e"].enumerated() {
            _ = try record.job.handle(.progress(frames: 100 * (count + 1)), at: start)
            record = try taken(record.answer(to: name, message: 7, at: start + 60))
            _ = try record.job.handle(.plan(worker: name), at: start)
        }
        #expect(record.job.state == .planning)
    }

    @Test("a worker lost at the rename may have renamed its output")
    func aCommitIsLookedAt() throws {
        var record = try running()
        let result = JobResult(output: "/o", outputBytes: 1, sourceBytes: 2, frames: 3, duration: 4, seconds: 5)
        let identity: FileIdentity = try JSONValue(parsing: #"{"device": 1, "inode": 2, "node": 0}"#).decoded()
        _ = try record.job.handle(.committing(result, identity), at: start)
        guard case .takeCommitting(let taken) = record.answer(to: "b", message: 7, at: start + 60) else {
            Issue.record("it is done again at once")
            return
        }
        #expect(taken.claim?.worker == "b")
        #expect(taken.job.committing?.result == result)
    }

    @Test("a job cancelled by a user whose worker is lost is cancelled")
    func aLostWorkersJobIsCancelled() throws {
        var record = try running()
        _ = try record.job.handle(.cancel, at: start)
        guard case .settle(let ended, let actions) = record.answer(to: "b", message: 7, at: start + 60) else {
            Issue.record("it goes on")
            return
        }
        #expect(ended.job.state == .cancelled)
        #expect(actions == [.ended])
    }

    @Test("a failed job waits for its retry on each host")
    func backoffIsKept() throws {
        var record = try running()
        _ = try record.job.handle(.failed(Failure(.network, "network", "no route")), at: start)
        record.claim = nil
        guard case .later(let seconds) = record.answer(to: "b", message: 7, at: start) else {
            Issue.record("it starts at once")
            return
        }
        #expect((1...4).contains(seconds))
        _ = try taken(record.answer(to: "b", message: 7, at: start + 10))
    }

    @Test("ended and paused jobs need no worker")
    func endedJobsAreDropped() throws {
        var record = ClusterRecord(try job())
        _ = try record.job.handle(.pause, at: start)
        #expect(record.answer(to: "a", message: 7, at: start) == .drop)
        _ = try record.job.handle(.cancel, at: start)
        #expect(record.answer(to: "a", message: 7, at: start) == .drop)
    }

    @Test("a worker that has lost its claim writes nothing")
    func lostClaimsWriteNothing() throws {
        let mine = try running()
        let claim = try #require(mine.claim)
        let others = try taken(mine.answer(to: "b", message: 7, at: start + 60))
        #expect(others.merging(mine.job, claim: claim, at: start) == nil)
    }

    @Test("a worker that writes over a user's request keeps it")
    func requestsAreKept() throws {
        let mine = try running()
        let claim = try #require(mine.claim)
        var asked = mine
        _ = try asked.job.handle(.cancel, at: start)
        _ = try asked.job.handle(.prioritize(5), at: start)
        var job = mine.job
        _ = try job.handle(.verifying, at: start)
        let merged = try #require(asked.merging(job, claim: claim, at: start)?.record)
        #expect(merged.job.state == .verifying)
        #expect(merged.job.stopping == .cancel)
        #expect(merged.job.specification.priority == 5)
        #expect(merged.claim == claim)

        _ = try job.handle(.failed(Failure(.network, "network", "no route")), at: start)
        let left = try #require(asked.merging(job, claim: claim, at: start))
        #expect(left.record.job.state == .cancelled)
        #expect(left.record.claim == nil)
        #expect(left.actions == [.ended])
    }

    @Test("a record is equal after a round trip")
    func recordsAreReadBack() throws {
        let record = try running()
        let text = try JSONValue(encoding: record).text
        #expect(try JSONValue(parsing: text).decoded(ClusterRecord.self) == record)
    }

    @Test("subjects name the requirements of a job's worker")
    func subjects() throws {
        let id = "0123456789abcdefghjk"
        #expect(WorkSubject(of: try job()).text == "vtx.work.default.any.normal.\(id)")
        #expect(
            WorkSubject(of: try job(["codec": "av1", "hardware": "require"], priority: 3)).text
                == "vtx.work.av1.hw.high.\(id)")
        #expect(WorkSubject(of: try job(["copyVideo": true], priority: -1)).text == "vtx.work.copy.any.low.\(id)")
        #expect(WorkSubject.job(of: "vtx.work.av1.hw.high.\(id)")?.text == id)
        #expect(WorkSubject.job(of: "vtx.work.av1") == nil)
    }
}

@Suite("Segments of a job that several workers encode")
struct SegmentClaimTests {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)

    private func whole() throws -> Job {
        let id = try #require(JobID("0123456789abcdefghjk"))
        var job = Job(
            id: id,
            JobSpecification(
                input: .init(path: "/media/in.mkv"), output: .init(path: "/media/out.mp4"),
                settings: ["preset": "fast", "segments": 4]),
            at: start)
        let workload = Workload(
            stages: [.encode: .init("h264", megapixels: 1)], frameRate: 25, frames: 10, allowsSoftware: false)
        _ = try job.handle(.plan(worker: "a"), at: start)
        _ = try job.handle(.planned(workload.cut(into: 4)), at: start)
        return job
    }

    private func segment() throws -> Job {
        try #require(try whole().segment(3, into: "/media/.x/segment-3.mp4", at: start))
    }

    @Test("are jobs with their parent job, and their cost")
    func segmentJobs() throws {
        let segment = try segment()
        #expect(segment.segment?.whole == (try whole().id) && segment.segment?.number == 3)
        #expect(segment.segment?.workload.frames == 3)
        #expect(segment.specification.output?.path == "/media/.x/segment-3.mp4")
        #expect(segment.specification.settings == ["preset": "fast", "codec": "h264", "overwrite": "replace"])
        #expect(try whole().segment(5, into: "", at: start) == nil)
        #expect(try whole().segment(3, into: "", at: start)?.id == segment.id)
        #expect(try whole().segment(2, into: "", at: start)?.id != segment.id)
    }

    @Test("leave hardly any work to the job that joins them, on any host")
    func joining() throws {
        let workload = try #require(try whole().workload)
        #expect(workload.stages.isEmpty && workload.allowsSoftware)
        #expect(try whole().segmentCount == 4)
        #expect(Workload(stages: [:], frameRate: 25).cut(into: 1).segments == nil)
    }

    @Test("precede jobs that have not begun")
    func priority() throws {
        #expect(WorkSubject(of: try segment()).priority == .high)
        #expect(WorkSubject(of: try whole()).priority == .normal)
    }

    @Test("are not claimed after the parent job has ended, and wait while it is paused")
    func theWholeDecides() throws {
        var whole = try whole()
        #expect(ClusterRecord.answer(ofSegmentOf: nil) == .forget)
        #expect(ClusterRecord.answer(ofSegmentOf: whole) == nil)
        _ = try whole.handle(.pause, at: start)
        _ = try whole.handle(.stopped, at: start)
        #expect(ClusterRecord.answer(ofSegmentOf: whole) == .later(seconds: 5))
        _ = try whole.handle(.cancel, at: start)
        #expect(ClusterRecord.answer(ofSegmentOf: whole) == .forget)
    }

    @Test("of a lost worker are claimed by another, like any job")
    func lostWorkers() throws {
        guard case .take(var record) = ClusterRecord(try segment()).answer(to: "a", message: 7, at: start) else {
            Issue.record("it is not taken")
            return
        }
        _ = try record.job.handle(.plan(worker: "a"), at: start)
        guard case .take(let next) = record.answer(to: "b", message: 7, at: start + 60) else {
            Issue.record("it is not taken again")
            return
        }
        #expect(next.claim?.worker == "b" && next.job.attempts.last?.failure?.code == "worker.lost")
    }

    @Test("that are done or running are unchanged if the parent job is claimed again; the others are offered")
    func offering() throws {
        let segment = try segment()
        var record = ClusterRecord(segment)
        record.claims = 2
        #expect(record.offering(segment, isThere: false, at: start) == .offer(record))
        var running = record
        _ = try running.job.handle(.plan(worker: "a"), at: start)
        #expect(running.offering(segment, isThere: false, at: start) == .leave)
        var paused = running
        _ = try paused.job.handle(.pause, at: start)
        _ = try paused.job.handle(.stopped, at: start)
        guard case .offer(let resumed) = paused.offering(segment, isThere: false, at: start) else {
            Issue.record("it stays paused")
            return
        }
        #expect(resumed.job.state == .queued)
        var done = running
        _ = try done.job.handle(
            .finished(JobResult(output: "", outputBytes: 1, sourceBytes: 1, frames: 1, duration: 1, seconds: 1)),
            at: start)
        #expect(done.offering(segment, isThere: true, at: start) == .leave)
        #expect(done.offering(segment, isThere: false, at: start) == .offer(record))
    }
}
