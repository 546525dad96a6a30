import Testing
import VTXJobs

@Suite("The dispatcher")
struct DispatcherTests {
    private var host = Host()

    @Test("plans a job, runs it on a free device, and follows it to its end")
    mutating func life() {
        host.submit(.named("a"))
        #expect(host.workers == [.named("a"): "plan"])
        host.plan("a")
        #expect(host.workers == [.named("a"): "run"] && host.state("a") == .running)
        #expect(host.runs[.named("a")] == [[.decode: DeviceName("gpu0"), .encode: DeviceName("gpu0")]])
        host.worker("a", .finished(.good))
        #expect(host.state("a") == .succeeded && host.ended == [.named("a")])
        #expect(host.dispatcher.jobs.isEmpty && host.dispatcher.load.values.allSatisfy { $0 == 0 })
    }

    @Test("records each action before it acts")
    mutating func order() {
        let actions = host.dispatcher.handle(.candidates([.named("a")]), at: host.now)
        guard case .save(let job) = actions.first, case .plan = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(job.state == .planning && actions.count == 2)
    }

    @Test("plans a few jobs ahead, not the whole queue, but always a more urgent one")
    mutating func window() {
        for number in 0..<50 { host.submit(.named("a\(number)", at: Double(number))) }
        #expect(host.workers.count == 2)
        host.submit(.named("b", priority: 10))
        #expect(host.workers[.named("b")] == "plan")
    }

    @Test("slow downloads hold up no job whose source is here")
    mutating func downloads() {
        for number in 0..<10 {
            let source = JobSpecification(input: .init(url: "https://a.example/\(number).mp4"))
            host.submit(Job(id: .named("d\(number)"), source, at: Timestamp(seconds: Double(number))))
        }
        #expect(host.workers.count == 8)
        // One more waits for a download, and is no reason to look at the queue.
        let late = JobSpecification(input: .init(url: "https://a.example/late.mp4"))
        #expect(!host.dispatcher.mayTake(Job(id: .named("e"), late, at: Timestamp(seconds: 99))))
        #expect(host.dispatcher.mayTake(.named("b", at: 100)))
        host.submit(.named("b", at: 100))
        #expect(host.workers[.named("b")] == "plan")
        host.plan("b")
        #expect(host.state("b") == .running)
    }

    @Test("a planned job waits for a free device, and the most urgent one gets it")
    mutating func room() {
        host = Host([.cpu(cores: 1)])
        host.submit(.named("a"))
        host.plan("a")
        host.submit(.named("b", at: 1), .named("c", at: 2, priority: 3))
        host.plan("b")
        host.plan("c")
        #expect(host.state("b") == .waiting && host.state("c") == .waiting)
        host.worker("a", .finished(.good))
        #expect(host.state("c") == .running && host.state("b") == .waiting)
    }

    @Test("after a device fault the job moves to another device, at last to software, and the fault is recorded")
    mutating func deviceFault() {
        host = Host([.cpu(cores: 1), .gpu("gpu0"), .gpu("gpu1")])
        host.submit(.named("a"))
        for name in ["gpu0", "gpu1"] {
            host.plan("a")
            host.worker("a", .failed(.device(name)))
            #expect(host.dispatcher.deviceHealth[DeviceName(name)]?.state == .suspect)
        }
        host.plan("a")
        #expect(host.runs[.named("a")]?.last == [.decode: .cpu, .encode: .cpu])
        host.worker("a", .finished(.good))
        #expect(host.state("a") == .succeeded)
    }

    @Test("a job without software fallback fails with a reason when no device is left")
    mutating func noneLeft() {
        host.submit(.named("a"))
        var workload = Workload.clip
        workload.allowsSoftware = false
        host.plan("a", workload)
        host.worker("a", .failed(.device("gpu0")))
        host.plan("a", workload)
        #expect(host.state("a") == .failed)
        #expect(host.store.job(.named("a"))?.failure?.code == "hardware.noneLeft")
    }

    @Test("a quarantined device gets no jobs, is tested, and comes back")
    mutating func quarantine() throws {
        host.submit(.named("a"))
        host.plan("a")
        host.worker("a", .failed(.device("gpu0", "device.hung")))
        host.submit(.named("b"))
        host.plan("b")
        #expect(host.runs[.named("b")]?.last?[.encode] == .cpu)
        host.seconds = try #require(host.dispatcher.nextTick).seconds
        host.perform(.tick)
        #expect(host.tested == [DeviceName("gpu0")])
        host.perform(.selfTest(DeviceName("gpu0"), nil))
        host.submit(.named("c"))
        host.plan("c")
        #expect(host.runs[.named("c")]?.last?[.encode] == DeviceName("gpu0"))
    }

    /// A host whose earlier server was killed while it ran a job.
    private func hostAfterCrash(running name: String) throws -> Host {
        var (host, next) = (Host([.cpu(cores: 1)]), Host([.cpu(cores: 1)]))
        host.submit(.named(name))
        host.plan(name)
        var left = try #require(host.store.job(.named(name)))
        next.dispatcher.adopt(left)
        _ = try left.handle(.adopt, at: next.now.time)
        _ = next.store.add(left)
        return next
    }

    @Test("what ran when an earlier server ended comes before more urgent jobs: its worker may still use the device")
    mutating func resuming() throws {
        var next = try hostAfterCrash(running: "a")
        next.submit(.named("b", at: 1, priority: 9))
        #expect(next.workers == [.named("a"): "plan"] && next.state("b") == .queued)
        next.plan("a")
        #expect(next.state("a") == .running && next.dispatcher.resuming.isEmpty)
        next.plan("b")
        #expect(next.state("b") == .waiting)
    }

    @Test("a job that a user pauses before it is back holds up no other")
    mutating func resumingPaused() throws {
        var next = try hostAfterCrash(running: "a")
        #expect(try next.command("a", .pause) == .paused)
        next.submit(.named("b", at: 1))
        #expect(next.workers == [.named("b"): "plan"])
    }

    @Test("a job that fails before it is back waits for its retry, and holds up no other")
    mutating func resumingFailed() throws {
        var next = try hostAfterCrash(running: "a")
        next.turn()
        next.worker("a", .failed(Failure(.network, "x", "y")))
        #expect(next.state("a") == .queued && next.workers.isEmpty)
        next.submit(.named("b", at: 1))
        #expect(next.workers == [.named("b"): "plan"])
    }

    @Test("cancels a running job through its worker, a waiting one at once")
    mutating func cancel() throws {
        host = Host([.cpu(cores: 1)])
        host.submit(.named("a"))
        host.plan("a")
        host.submit(.named("b", at: 1))
        host.plan("b")
        #expect(host.state("b") == .waiting)
        #expect(try host.command("b", .cancel) == .cancelled)
        #expect(host.state("b") == .cancelled)
        #expect(try host.command("a", .cancel) == .running)
        #expect(host.stops[.named("a")] == .cancel)
        host.worker("a", .stopped)
        #expect(host.state("a") == .cancelled && host.ended == [.named("b"), .named("a")])
        #expect(throws: JobConflict.self) { try host.command("a", .pause) }
        #expect(try host.command("a", .retry) == .queued)
        #expect(host.state("a") == .planning)
    }

    @Test("a job stopped during planning stops after it")
    mutating func cancelPlanning() throws {
        host.submit(.named("a"))
        _ = try host.command("a", .pause)
        #expect(host.stops[.named("a")] == .pause)
        host.plan("a")
        #expect(host.state("a") == .paused && host.workers.isEmpty)
        #expect(try host.command("a", .resume) == .queued)
    }

    @Test("a real-time job sends others back to the queue, which resume afterwards")
    mutating func preempt() {
        host.submit(.named("a"))
        host.plan("a")
        host.submit(.named("s", realTime: true))
        host.plan(
            "s",
            Workload(
                stages: [.decode: .init("h264", megapixels: 2), .encode: .init("hevc", megapixels: 2)], frameRate: 100,
                allowsSoftware: false))
        #expect(host.stops[.named("a")] == .preempt && host.state("s") == .waiting)
        host.worker("a", .stopped)
        #expect(host.state("s") == .running)
        host.worker("s", .finished(.good))
        host.plan("a")
        #expect(host.state("a") == .running)
    }

    @Test("no job that waits takes the place of one that stops for a real-time job")
    mutating func keepsRoom() {
        for (index, name) in ["a", "b", "c", "d"].enumerated() {
            host.submit(.named(name, at: Double(index)))
            host.plan(name)
        }
        #expect(host.state("b") == .running && host.state("c") == .waiting && host.state("d") == .waiting)
        host.submit(.named("s", realTime: true))
        host.plan("s")
        for name in ["a", "b"] {
            #expect(host.stops[.named(name)] == .preempt && host.state("s") == .waiting)
            host.worker(name, .stopped)
            #expect(host.state("c") == .waiting && host.state("d") == .waiting)
        }
        #expect(host.state("s") == .running)
    }

    @Test("a real-time job that is cancelled while others stop for it leaves them its engines")
    mutating func leavesRoom() throws {
        for (index, name) in ["a", "b", "c"].enumerated() {
            host.submit(.named(name, at: Double(index)))
            host.plan(name)
        }
        host.submit(.named("s", realTime: true))
        host.plan("s")
        host.worker("a", .stopped)
        #expect(host.state("c") == .waiting)
        #expect(try host.command("s", .cancel) == .cancelled)
        host.worker("b", .stopped)
        #expect(host.state("c") == .running)
    }

    @Test("drains: nothing starts, everything that runs goes back to the queue")
    mutating func drain() {
        host.submit(.named("a"))
        host.plan("a")
        host.submit(.named("b", at: 1))
        host.perform(.drain)
        #expect(!host.dispatcher.isIdle)
        #expect(Set(host.stops.values) == [.drain])
        host.worker("a", .stopped)
        host.worker("b", .stopped)
        host.submit(.named("c", at: 2))
        #expect(host.dispatcher.isIdle && host.workers.isEmpty)
        #expect(["a", "b", "c"].allSatisfy { host.state($0) == .queued })
    }

    @Test("starts another job while its GPU has capacity")
    mutating func hasRoom() {
        #expect(host.dispatcher.hasRoom)
        host.submit(.named("a"))
        #expect(!host.dispatcher.hasRoom)
        host.plan("a")
        #expect(!host.dispatcher.hasRoom)
        host.worker("a", .finished(.good))
        #expect(host.dispatcher.hasRoom)
    }

    @Test("a job that another host has claimed is stopped and leaves nothing")
    mutating func revoked() {
        host = Host([.cpu(cores: 1)])
        host.submit(.named("a"))
        host.plan("a")
        host.submit(.named("b", at: 1))
        host.plan("b")
        host.perform(.revoke(.named("b")))
        #expect(host.dispatcher.job(.named("b")) == nil)
        host.perform(.revoke(.named("a")))
        #expect(host.stops == [.named("a"): .preempt])
        host.perform(.worker(.named("a"), .stopped))
        #expect(host.dispatcher.jobs.isEmpty && host.ended.isEmpty)
    }

    @Test("a tenant that has used the cores comes after one that has not")
    mutating func fairness() {
        host = Host([.cpu(cores: 1)])
        host.submit(.named("a1", tenant: "a"), .named("a2", at: 1, tenant: "a"), .named("b1", at: 2, tenant: "b"))
        host.plan("a1")
        host.plan("a2")
        host.plan("b1")
        host.seconds = 100
        host.worker("a1", .finished(.good))
        #expect(host.state("b1") == .running && host.state("a2") == .waiting)
    }

    @Test("a job that is offered twice is planned once")
    mutating func offeredTwice() {
        let job = Job.named("a")
        _ = host.store.add(job, key: nil)
        let actions = host.dispatcher.handle(.candidates([job, job]), at: host.now)
        let plans = actions.filter { if case .plan = $0 { true } else { false } }
        #expect(plans.count == 1)
    }

    @Test("does not look at the queue if it can take nothing of it")
    mutating func wanted() {
        host = Host([.cpu(cores: 1)])
        let all = [CandidateQuery(), CandidateQuery(areFetched: true)]
        #expect(host.dispatcher.wantedCandidates == all)
        for number in 1...9 {
            host.submit(.named("a\(number)", at: Double(number)))
            host.plan("a\(number)")
        }
        #expect(host.dispatcher.wantedCandidates.map(\.above) == [0, 0])
        host.submit(.named("best", at: 20, priority: 1))
        #expect(host.state("best") == .planning)
        host.perform(.drain)
        #expect(host.dispatcher.wantedCandidates.isEmpty)
    }

    @Test("a job's engine time is recorded, and improves estimates")
    mutating func used() {
        host.submit(.named("a"))
        host.plan("a")
        let engine = EngineID(DeviceName("gpu0"), "encode")
        host.perform(.used(.named("a"), frames: 1000, [engine: 50]))
        host.worker("a", .finished(.good))
        #expect(host.store.job(.named("a"))?.attempts.last?.engineSeconds == ["gpu0/encode": 50])
        #expect(host.dispatcher.speeds.secondsPerMegapixel(.init(DeviceName("gpu0"), .encode, "hevc")) > 0.002)
    }
}
