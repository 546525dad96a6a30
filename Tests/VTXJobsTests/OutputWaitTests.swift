import Testing
import VTXJobs

@Suite("Jobs with one output")
struct OutputWaitTests {
    private var host = Host()

    private static let output = {
        var workload = Workload.clip
        workload.outputPath = "/media/out.mp4"
        return workload
    }()

    private func waitsFor(_ name: String) -> JobID? { host.store.job(.named(name))?.waitsFor }

    @Test("the second waits for the end of the first, whatever it is", arguments: [true, false])
    mutating func second(succeeds: Bool) {
        host.submit(.named("a"), .named("b", at: 1))
        host.plan("a", Self.output)
        host.plan("b", Self.output)
        #expect(host.state("b") == .waiting && waitsFor("b") == .named("a"))
        host.worker("a", succeeds ? .finished(.good) : .failed(Failure(.source, "input.damaged", "damaged")))
        #expect(host.state("b") == .running && waitsFor("b") == nil)
    }

    @Test("the first one keeps it through a failure, also of a server, until it ends or is paused")
    mutating func keeps() throws {
        host.submit(.named("a"), .named("b", at: 1))
        host.plan("a", Self.output)
        host.plan("b", Self.output)
        host.worker("a", .failed(Failure(.worker, "worker.died", "it was killed")))
        #expect(host.state("a") == .queued && host.state("b") == .waiting && waitsFor("b") == .named("a"))
        #expect(try host.command("a", .pause) == .paused)
        #expect(host.state("b") == .running)
        try checkNextServer(adopting: "b")
    }

    /// Checks that another job waits for the output of one that the next server adopts.
    private mutating func checkNextServer(adopting name: String) throws {
        let job = try #require(host.store.job(.named(name)))
        host = Host()
        host.dispatcher.adopt(job)
        host.submit(.named("c", at: 2))
        host.plan("c", Self.output)
        #expect(host.state("c") == .waiting && waitsFor("c") == .named(name))
    }

    @Test("one that waits for its retry keeps its output when the server restarts")
    mutating func restarted() throws {
        host.submit(.named("a"))
        host.plan("a", Self.output)
        host.worker("a", .failed(Failure(.worker, "worker.died", "it was killed")))
        let job = try #require(host.store.job(.named("a")))
        #expect(job.state == .queued && job.retryAt != nil && host.store.begun() == [job])
        try checkNextServer(adopting: "a")
    }

    @Test("in a cluster other hosts resume a job, and its output is theirs")
    mutating func cluster() {
        host.dispatcher = Dispatcher(
            worker: "w", scheduler: Scheduler(devices: [.cpu(cores: 1), .gpu("gpu0")]), isAlone: false)
        host.submit(.named("a"), .named("b", at: 1))
        host.plan("a", Self.output)
        host.plan("b", Self.output)
        host.worker("a", .failed(Failure(.worker, "worker.died", "it was killed")))
        #expect(host.state("a") == .queued && host.state("b") == .running)
    }

    @Test("others are started while one waits")
    mutating func others() {
        host.submit(.named("a"))
        host.plan("a", Self.output)
        for number in 0..<20 {
            host.submit(.named("b\(number)", at: 1))
            host.plan("b\(number)", Self.output)
        }
        host.submit(.named("c", at: 2))
        host.plan("c")
        #expect(host.state("c") == .running && host.state("b19") == .waiting)
    }

    @Test("one that waits is cancelled and paused at once")
    mutating func commands() throws {
        host.submit(.named("a"), .named("b", at: 1))
        host.plan("a", Self.output)
        host.plan("b", Self.output)
        #expect(try host.command("b", .pause) == .paused)
        #expect(waitsFor("b") == nil)
        #expect(try host.command("b", .resume) == .queued)
        host.plan("b", Self.output)
        #expect(waitsFor("b") == .named("a"))
        #expect(try host.command("b", .cancel) == .cancelled)
        #expect(waitsFor("b") == nil)
    }

    @Test("one whose output another host's job writes returns to the queue for a moment, without an attempt")
    func elsewhere() {
        var job = Job.named("a")
        _ = job.does(.plan(worker: "w"), .planned(Self.output), .start(worker: "w", [.encode: .cpu]))
        #expect(job.does(.outputTaken(by: .named("b")), at: 10) == [])
        #expect(job.state == .queued && job.attempts.isEmpty && job.setbacks.isEmpty)
        #expect(job.waitsFor == .named("b") && job.retryAt == Timestamp(seconds: 10 + Job.outputWait))
        _ = job.does(.plan(worker: "w"), at: 20)
        #expect(job.waitsFor == nil)
    }

    @Test("one that was to be cancelled meanwhile is cancelled")
    func cancelled() {
        var job = Job.named("a")
        _ = job.does(.plan(worker: "w"), .planned(Self.output), .start(worker: "w", [.encode: .cpu]), .cancel)
        #expect(job.does(.outputTaken(by: .named("b"))) == [.ended])
        #expect(job.state == .cancelled && job.waitsFor == nil)
    }
}
