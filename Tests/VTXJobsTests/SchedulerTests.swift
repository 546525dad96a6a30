import Testing
import VTXJobs

@Suite("Which devices a job gets")
struct PlacingTests {
    private var scheduler = Scheduler(devices: [.cpu(cores: 8), .gpu("gpu0")])

    private mutating func place(_ name: String, _ workload: Workload = .clip, avoiding: Set<DeviceName> = []) -> String
    {
        switch scheduler.place(.named(name), workload, avoiding: avoiding) {
        case .placed(let stages):
            stages.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        case .noRoom: "no room"
        case .makeRoom(let ids): "stop \(ids.count)"
        case .impossible: "impossible"
        }
    }

    @Test("a GPU that can do it all does it all")
    mutating func gpu() { #expect(place("a") == "decode=gpu0 encode=gpu0") }

    @Test("what a GPU cannot decode the CPU decodes for it")
    mutating func mixed() {
        var workload = Workload.clip
        workload.stages[.decode] = .init("vp9", megapixels: 2)
        #expect(place("a", workload) == "decode=cpu encode=gpu0")
        workload.allowsSoftware = false
        #expect(place("b", workload) == "impossible")
    }

    @Test("software does it where no GPU encodes it, may be used, is well, or is left")
    mutating func software() {
        var workload = Workload.clip
        workload.stages[.encode] = .init("av1", megapixels: 2)
        #expect(place("a", workload) == "decode=cpu encode=cpu")
        scheduler.remove(.named("a"))
        workload = .clip
        workload.allowsHardware = false
        #expect(place("b", workload) == "decode=cpu encode=cpu")
        scheduler.remove(.named("b"))
        #expect(place("c", avoiding: [DeviceName("gpu0")]) == "decode=cpu encode=cpu")
        scheduler.remove(.named("c"))
        scheduler.unavailable = [DeviceName("gpu0")]
        #expect(place("d") == "decode=cpu encode=cpu")
        workload = .clip
        workload.allowsSoftware = false
        #expect(place("e", workload) == "impossible")
    }

    @Test("of two GPUs the one with less to do is taken, and only one that was asked for")
    mutating func balance() {
        scheduler.setDevices([.cpu(cores: 8), .gpu("gpu0"), .gpu("gpu1")])
        #expect(Set([place("a"), place("b")]) == ["decode=gpu0 encode=gpu0", "decode=gpu1 encode=gpu1"])
        var workload = Workload.clip
        workload.devices = [DeviceName("gpu9")]
        workload.allowsSoftware = false
        #expect(place("c", workload) == "impossible")
    }

    @Test("a job that waits for its source leaves room for others, once that is seen")
    mutating func observed() {
        scheduler = Scheduler(devices: [.cpu(cores: 1), .gpu("gpu0")])
        #expect(place("a").hasPrefix("decode"))
        #expect(place("b") == "no room")
        scheduler.observed = [EngineID(DeviceName("gpu0"), "encode"): 0.2, EngineID(DeviceName("gpu0"), "decode"): 0.1]
        #expect(place("b").hasPrefix("decode"))
    }

    @Test("what a device was measured at counts more than the guess")
    mutating func learning() {
        let name = JobID.named("a")
        let guess = scheduler.speeds.secondsPerMegapixel(.init(DeviceName("gpu0"), .encode, "hevc"))
        for _ in 0..<40 {
            _ = place("a")
            let busy = 2.07 * guess * 1000 * 4
            scheduler.speeds.learn(
                scheduler.demand(of: name)!, frames: 1000, seconds: [EngineID(DeviceName("gpu0"), "encode"): busy])
            scheduler.remove(name)
        }
        let learned = scheduler.speeds.secondsPerMegapixel(.init(DeviceName("gpu0"), .encode, "hevc"))
        #expect(abs(learned / (guess * 4) - 1) < 0.01)
    }
}

@Suite("Real-time jobs")
struct RealTimeTests {
    private var scheduler = Scheduler(devices: [.cpu(cores: 1), .gpu("gpu0")])

    /// Half of an engine of its own, at the guessed speed: 2 MP * 0.002 s * 120 = 0.48.
    private static let stream = Workload(
        stages: [.decode: .init("h264", megapixels: 2), .encode: .init("hevc", megapixels: 2)], frameRate: 120)

    @Test("start only while the engines' time that is reserved leaves theirs")
    mutating func reserve() {
        #expect(scheduler.place(.named("a"), Self.stream, realTime: true) != .noRoom)
        #expect(scheduler.place(.named("b"), Self.stream, realTime: true) == .noRoom)
        scheduler.remove(.named("a"))
        #expect(scheduler.place(.named("b"), Self.stream, realTime: true) != .noRoom)
    }

    @Test("send away the jobs in their way, those of least priority first, and no more than they must")
    mutating func preempt() {
        _ = scheduler.place(.named("a"), .clip, priority: 5)
        guard case .makeRoom(let stopped) = scheduler.place(.named("s"), Self.stream, realTime: true) else {
            Issue.record("the stream would run beside a job that takes the whole engine")
            return
        }
        #expect(stopped == [.named("a")])
        scheduler.remove(.named("a"))
        #expect(scheduler.place(.named("s"), Self.stream, realTime: true) != .noRoom)
        // A job that would take the whole engine does not start beside it.
        #expect(scheduler.place(.named("b"), .clip) == .noRoom)
    }
}

@Suite("Engines' time")
struct EngineTimeTests {
    private struct Running {
        var framesLeft: Double
        var workload: Workload
        var realTime: Bool
    }

    /// Runs jobs on the model of engines that the hardware is: each serves all who want it in equal parts, and a job goes
    /// as fast as its slowest stage. Returns how busy the busiest engine was while jobs were waiting.
    private static func simulate(_ jobs: [(Workload, Bool)], devices: [Device], speed: Double) -> (
        busy: Double, late: Int
    ) {
        var scheduler = Scheduler(devices: devices)
        var (waiting, running, ids) = (jobs, [JobID: Running](), 0)
        var (busy, seconds, late) = (0.0, 0.0, 0)
        while !waiting.isEmpty {
            waiting.removeAll { workload, realTime in
                ids += 1
                let id = JobID.named("\(ids)")
                guard case .placed = scheduler.place(id, workload, realTime: realTime) else { return false }
                running[id] = Running(framesLeft: Double(workload.frames!), workload: workload, realTime: realTime)
                return true
            }
            let (rates, used) = Self.rates(running, scheduler, speed)
            let step = running.map { $0.value.framesLeft / rates[$0.key]! }.min() ?? 0
            guard step > 0 else { break }
            for (id, job) in running {
                running[id]!.framesLeft -= rates[id]! * step
                if job.realTime, rates[id]! < job.workload.frameRate * 0.999 { late += 1 }
            }
            if !waiting.isEmpty {
                busy += (used.filter { $0.key.device != .cpu }.values.max() ?? 0) * step
                seconds += step
            }
            for (id, job) in running where job.framesLeft < 1e-6 {
                running[id] = nil
                scheduler.remove(id)
            }
        }
        return (seconds > 0 ? busy / seconds : 0, late)
    }

    /// Frames a second of each job, and how busy that makes the engines: a queue for each engine, served in
    /// turn. `speed` is how wrong the guesses are.
    private static func rates(
        _ running: [JobID: Running], _ scheduler: Scheduler, _ speed: Double
    ) -> ([JobID: Double], [EngineID: Double]) {
        var rates: [JobID: Double] = [:]
        var used: [EngineID: Double] = [:]
        func cost(_ id: JobID) -> [EngineID: Double] {
            scheduler.demand(of: id)!.parts.reduce(into: [:]) {
                $0[$1.engine, default: 0] += $1.secondsPerFrame * speed
            }
        }
        for (id, job) in running where job.realTime {
            let total = cost(id).reduce(into: [EngineID: Double]()) { $0[$1.key] = $1.value * job.workload.frameRate }
            rates[id] = total.allSatisfy { $0.value + (used[$0.key] ?? 0) <= 1 } ? job.workload.frameRate : 0.001
            used.merge(total, uniquingKeysWith: +)
        }
        var growing = running.filter { !$0.value.realTime }.mapValues { _ in 0.0 }
        while !growing.isEmpty {
            let pressure = growing.keys.reduce(into: [EngineID: Double]()) { all, id in
                let own = cost(id)
                let alone = 1 / own.values.max()!
                for (engine, seconds) in own { all[engine, default: 0] += seconds * alone }
            }
            let room = pressure.map { ((scheduler.capacity[$0.key] ?? 1) - (used[$0.key] ?? 0)) / $0.value }.min()!
            let alone = growing.mapValues { $0 }.keys.reduce(into: [JobID: Double]()) {
                $0[$1] = 1 / cost($1).values.max()!
            }
            let step = min(room, growing.keys.map { (alone[$0]! - growing[$0]!) / alone[$0]! }.min()!)
            for id in growing.keys {
                growing[id]! += alone[id]! * step
                for (engine, seconds) in cost(id) { used[engine, default: 0] += seconds * alone[id]! * step }
            }
            for (id, rate) in growing {
                let isFull = cost(id).keys.contains { (scheduler.capacity[$0] ?? 1) - (used[$0] ?? 0) < 1e-9 }
                if isFull || rate >= alone[id]! * (1 - 1e-9) {
                    rates[id] = rate
                    growing[id] = nil
                }
            }
        }
        return (rates, used)
    }

    private static func mixed(_ count: Int) -> [(Workload, Bool)] {
        let sizes = [0.4, 0.9, 2.07, 8.3]
        return (0..<count).map { index in
            let (source, target) = (sizes[index % 4], sizes[index / 4 % 4])
            var stages: [Stage: Workload.Work] = [
                .decode: .init(index % 3 == 0 ? "hevc" : "h264", megapixels: source),
                .encode: .init(index % 2 == 0 ? "hevc" : "h264", megapixels: target),
            ]
            if source != target { stages[.process] = .init("scale", megapixels: max(source, target)) }
            return (Workload(stages: stages, frameRate: 25, frames: 500 + index * 37 % 700), false)
        }
    }

    @Test(
        "the busiest engine works 95 % of the time and more while jobs wait, on one GPU and on two", arguments: [1, 2])
    func utilisation(gpus: Int) {
        let devices = [Device.cpu(cores: 8)] + (0..<gpus).map { .gpu("gpu\($0)") }
        #expect(Self.simulate(Self.mixed(60), devices: devices, speed: 1).busy >= 0.95)
    }

    @Test("a real-time job is never late because of others")
    func realTime() {
        let stream = Workload(
            stages: [.decode: .init("h264", megapixels: 2), .encode: .init("hevc", megapixels: 2)], frameRate: 50,
            frames: 2000)
        var jobs = Self.mixed(40)
        jobs.insert((stream, true), at: 0)
        let devices = [Device.cpu(cores: 8), .gpu("gpu0"), .gpu("gpu1")]
        #expect(Self.simulate(jobs, devices: devices, speed: 1).late == 0)
    }
}

@Suite("Whose turn it is")
struct FairShareTests {
    private var shares = FairShare()

    @Test("priority comes first, then age")
    func order() {
        let jobs = [Job.named("c", at: 3), .named("a", at: 1), .named("b", at: 2, priority: 5)]
        #expect(shares.order(jobs).map(\.id) == [.named("b"), .named("a"), .named("c")])
    }

    @Test("a tenant with a thousand jobs does not keep another waiting")
    func tenants() {
        let many = (0..<1000).map { Job.named("a\($0)", at: Double($0), tenant: "big") }
        let order = shares.order(
            many + [.named("b1", at: 2000, tenant: "small"), .named("b2", at: 2001, tenant: "small")])
        #expect(order.prefix(4).filter { $0.tenant == "small" }.count == 2)
    }

    @Test("what was used counts, and fades")
    mutating func fading() {
        shares.charge("a", seconds: 100, at: 0)
        shares.charge("b", seconds: 60, at: 3600)
        let jobs = [Job.named("a", tenant: "a"), .named("b", at: 1, tenant: "b")]
        #expect(abs(shares.used(by: "a") - 50) < 0.1)
        #expect(shares.order(jobs).first?.tenant == "a")
        shares.charge("b", seconds: 0, at: 3600 * 100)
        #expect(shares.used(by: "b") == 0)
    }

    @Test("a stream comes before everything")
    func realTime() {
        let jobs = [Job.named("a", priority: 100), .named("b", at: 1, realTime: true)]
        #expect(shares.order(jobs).first?.id == .named("b"))
    }
}
