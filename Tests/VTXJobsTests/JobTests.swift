import Testing
import VTXJobs

@Suite("The life of a job")
struct JobTests {
    private var job = Job.named("a")
    private static let stages: [Stage: DeviceName] = [.encode: DeviceName("gpu0")]

    /// Advances it to encoding.
    private mutating func run() { _ = job.does(.plan(worker: "w"), .planned(.clip), .start(worker: "w", Self.stages)) }

    @Test("goes from the queue to its end in one attempt")
    mutating func success() {
        #expect(job.state == .queued)
        #expect(job.does(.plan(worker: "w1"), at: 1).isEmpty)
        #expect(job.state == .planning)
        _ = job.does(.planned(.clip), .start(worker: "w1", Self.stages), at: 2)
        #expect(job.state == .running)
        _ = job.does(.verifying)
        #expect(job.state == .verifying)
        #expect(job.does(.finished(.good), at: 9) == [.ended])
        #expect(job.state == .succeeded && job.result == .good && job.endedAt == Timestamp(seconds: 9))
        #expect(job.attempts.count == 1 && job.attempts[0].outcome == .succeeded)
        #expect(job.attempts[0].devices == Self.stages && job.startedAt == Timestamp(seconds: 1))
    }

    @Test("ends at once without a worker, otherwise with its worker")
    mutating func cancel() {
        #expect(job.does(.cancel) == [.ended])
        #expect(job.state == .cancelled)
        job = .named("b")
        run()
        #expect(job.does(.cancel) == [.stopWorker(.cancel)])
        #expect(job.state == .running && job.stopping == .cancel)
        // Once is enough.
        #expect(job.does(.cancel).isEmpty)
        #expect(job.does(.stopped) == [.ended])
        #expect(job.state == .cancelled && job.attempts[0].outcome == .stopped)
    }

    @Test("an output completed before the worker received the request counts")
    mutating func tooLate() {
        run()
        _ = job.does(.cancel)
        #expect(job.does(.finished(.good)) == [.ended])
        #expect(job.state == .succeeded)
    }

    @Test("a worker that dies while stopping is not replaced")
    mutating func diesWhileStopping() {
        run()
        _ = job.does(.cancel)
        #expect(job.does(.failed(Failure(.worker, "worker.died", "gone"))) == [.ended])
        #expect(job.state == .cancelled)
    }

    @Test("pauses at a checkpoint, and resumes")
    mutating func pause() {
        run()
        #expect(job.does(.pause) == [.stopWorker(.pause)])
        #expect(job.does(.stopped).isEmpty)
        #expect(job.state == .paused)
        #expect(job.does(.resume).isEmpty)
        #expect(job.state == .queued && job.workload == .clip)
        // A second command during the first.
        run()
        _ = job.does(.pause, .cancel, .stopped)
        #expect(job.state == .cancelled)
    }

    @Test("that is resumed while its worker still stops returns to the queue")
    mutating func resumedMeanwhile() {
        run()
        _ = job.does(.pause)
        #expect(job.does(.resume).isEmpty && job.state == .running)
        #expect(job.does(.stopped).isEmpty && job.state == .queued)
    }

    @Test("that is preempted, or whose server ends, returns to the queue", arguments: [StopReason.drain, .preempt])
    mutating func room(reason: StopReason) {
        run()
        #expect(job.does(.makeRoom(reason)) == [.stopWorker(reason)])
        #expect(job.does(.stopped).isEmpty)
        #expect(job.state == .queued && job.retryAt == nil)
    }

    @Test("that a user pauses while it makes room stays paused", arguments: [StopReason.drain, .preempt])
    mutating func pausedMeanwhile(reason: StopReason) {
        run()
        _ = job.does(.makeRoom(reason))
        #expect(job.does(.pause) == [.stopWorker(.pause)])
        #expect(job.does(.stopped).isEmpty && job.state == .paused)
    }

    @Test("that ran when the server was killed is adopted, repeatedly")
    mutating func adopted() {
        for number in 1...50 {
            run()
            #expect(job.does(.adopt).isEmpty)
            #expect(job.state == .queued && job.attempts.last?.number == number)
            #expect(job.attempts.last?.outcome == .interrupted)
        }
        // A job being cancelled is not restarted.
        run()
        _ = job.does(.cancel)
        #expect(job.does(.adopt) == [.ended])
        #expect(job.state == .cancelled)
        #expect(job.attempts.count <= 32)
    }

    @Test("that was planned, or waited, when the server was killed made no attempt")
    mutating func adoptedBeforeItRan() {
        _ = job.does(.plan(worker: "w"))
        #expect(job.does(.adopt).isEmpty && job.state == .queued && job.attempts.isEmpty)
        run()
        _ = job.does(.adopt)
        _ = job.does(.plan(worker: "w"), .planned(.clip))
        #expect(job.does(.adopt).isEmpty && job.state == .queued)
        #expect(job.attempts.map(\.outcome) == [.interrupted])
    }

    @Test("that is paused ends a worker that an earlier server may have left")
    mutating func pausedWithLeftWorker() {
        #expect(job.does(.pause).isEmpty)
        _ = job.does(.resume)
        run()
        _ = job.does(.adopt)
        #expect(job.does(.pause) == [.endLeftWorker] && job.state == .paused)
        // Planned again, but without room yet.
        _ = job.does(.resume, .plan(worker: "w"), .planned(.clip), .pause)
        #expect(job.does(.stopped) == [.endLeftWorker] && job.state == .paused)
        // The server was killed while stopping the worker.
        _ = job.does(.resume)
        run()
        _ = job.does(.pause)
        #expect(job.does(.adopt) == [.endLeftWorker] && job.state == .paused)
    }

    @Test("has its priority until it ends")
    mutating func priority() {
        #expect(job.does(.prioritize(3)).isEmpty && job.specification.priority == 3)
        run()
        _ = job.does(.finished(.good))
        #expect(throws: JobConflict.self) { try job.handle(.prioritize(5), at: Timestamp(seconds: 0)) }
        #expect(job.specification.priority == 3)
    }

    @Test("is skipped by a rule, and runs if a user requests it")
    mutating func skipped() {
        _ = job.does(.plan(worker: "w"))
        #expect(job.does(.skip(reason: "it is hevc already")) == [.ended])
        #expect(job.state == .skipped && job.reason == "it is hevc already" && !job.ignoresRules)
        _ = job.does(.retry)
        #expect(job.state == .queued && job.ignoresRules && job.reason == nil)
    }

    @Test("refuses commands that its state does not allow, and names the allowed states")
    mutating func conflicts() {
        #expect { try job.handle(.resume, at: Timestamp(seconds: 0)) } throws: {
            "\($0)" == "the job is queued, and cannot be resumed: only one that is paused can"
        }
        run()
        _ = job.does(.finished(.good))
        for event in [JobEvent.cancel, .pause, .resume, .retry] {
            #expect(throws: JobConflict.self) { try job.handle(event, at: Timestamp(seconds: 0)) }
        }
    }

    @Test("fails finally with a segment that failed repeatedly, unless a user ends it")
    mutating func segmentFailed() {
        run()
        var cancelled = job
        let failure = Failure(.worker, "job.poison", "segment 2: it died")
        #expect(job.does(.segmentFailed(failure)) == [.ended])
        #expect(job.state == .failed && job.failure == failure && job.attempts.count == 1)
        _ = cancelled.does(.cancel)
        _ = cancelled.does(.segmentFailed(failure))
        #expect(cancelled.state == .cancelled)
    }

    @Test("waits for engines between its plan and its start")
    mutating func waiting() {
        _ = job.does(.plan(worker: "w"))
        #expect(job.state == .planning)
        _ = job.does(.planned(.clip))
        #expect(job.state == .waiting)
        var stopped = job
        _ = stopped.does(.stopped)
        #expect(stopped.state == .queued)
        _ = job.does(.start(worker: "w", Self.stages))
        #expect(job.state == .running)
    }

    @Test("is planned once")
    mutating func already() {
        _ = job.does(.cancel)
        #expect { try job.handle(.cancel, at: Timestamp(seconds: 0)) } throws: {
            "\($0)" == "the job is cancelled already"
        }
    }

    @Test("late events of a worker have no effect")
    mutating func late() {
        _ = job.does(.cancel)
        let ended = job
        #expect(job.does(.finished(.good), .failed(.device("gpu0")), .stopped, .verifying, .planned(.clip)).isEmpty)
        #expect(job == ended)
    }
}

@Suite("The effect of a failure")
struct RetryTests {
    private var job = Job.named("a")

    private mutating func fail(_ failure: Failure, at seconds: Double = 0) -> [JobAction] {
        _ = job.does(.plan(worker: "w"), .planned(.clip), .start(worker: "w", [:]), at: seconds)
        return job.does(.failed(failure), at: seconds)
    }

    @Test(
        "of the source, the request, the output, its check or a rule is final",
        arguments: [Failure.Category.source, .request, .output, .verification, .rule])
    mutating func final(category: Failure.Category) {
        let failure = Failure(category, "x.y", "no")
        #expect(fail(failure) == [.ended])
        #expect(job.state == .failed && job.failure == failure && job.attempts.count == 1)
    }

    @Test("of a device is retried at once without that device")
    mutating func device() {
        #expect(fail(.device("gpu0")).isEmpty)
        #expect(job.state == .queued && job.retryAt == nil && job.avoiding == [DeviceName("gpu0")])
        #expect(fail(.device("gpu1")).isEmpty)
        #expect(job.avoiding.count == 2 && job.attempts[0].failure?.device == DeviceName("gpu0"))
    }

    @Test("of the network is retried with growing, random delays, up to a limit")
    mutating func network() {
        var waits: [Double] = []
        while job.state != .failed {
            _ = fail(Failure(.network, "input.unreachable", "no route"), at: 100)
            if let retryAt = job.retryAt { waits.append(retryAt - Timestamp(seconds: 100)) }
        }
        #expect(waits.count == 9)
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $1 > $0 || $1 > 200 })
        #expect((1.5...2.5).contains(waits[0]) && waits.allSatisfy { $0 <= 375 })
        let other = Backoff(first: 2, longest: 300)
        #expect(other.seconds(1, of: "a") != other.seconds(1, of: "b"))
    }

    @Test("that kills several workers parks the job, with the evidence")
    mutating func poison() {
        let death = Failure(.worker, "worker.died", "killed by SIGSEGV", evidence: ["last words"])
        #expect(fail(death).isEmpty && fail(death).isEmpty)
        #expect(fail(death) == [.ended])
        #expect(job.state == .failed && job.failure?.code == "job.poison")
        #expect(job.failure?.evidence == ["last words"])
        #expect(job.attempts.compactMap { $0.failure?.message } == Array(repeating: "killed by SIGSEGV", count: 3))
        _ = job.does(.retry)
        #expect(job.state == .queued && job.setbacks.isEmpty)
    }

    @Test("resets the count only after new progress")
    mutating func progress() {
        let death = Failure(.worker, "worker.died", "gone")
        for frame in [100, 200, 300, 400, 400, 400] {
            _ = job.does(.plan(worker: "w"), .planned(.clip), .start(worker: "w", [:]), .progress(frames: frame))
            _ = job.does(.failed(death))
        }
        #expect(job.state == .failed && job.attempts.count == 6)
    }
}
