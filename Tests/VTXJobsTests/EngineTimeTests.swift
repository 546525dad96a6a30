import Testing
import VTXJobs

/// A model of hardware engines: each is shared equally by its jobs, and a job is as fast as its slowest stage.
private struct EngineModel {
    struct Running {
        var framesLeft: Double
        var workload: Workload
        var realTime: Bool
    }

    private var scheduler: Scheduler
    /// The error of the scheduler's estimates.
    private let speed: Double
    private var waiting: [(Workload, Bool)]
    private var running: [JobID: Running] = [:]
    private var count = 0
    /// While jobs waited: seconds, and the busiest engine's seconds of work.
    private var seconds = 0.0
    private var busySeconds = 0.0
    /// The number of times that a real-time job was too slow.
    private(set) var late = 0

    init(_ jobs: [(Workload, Bool)], devices: [Device], speed: Double) {
        (waiting, self.speed) = (jobs, speed)
        scheduler = Scheduler(devices: devices)
        while !waiting.isEmpty {
            place()
            let shares = EngineShares(running, scheduler, speed)
            let step = running.map { $0.value.framesLeft / shares.rates[$0.key]! }.min() ?? 0
            guard step > 0 else { break }
            advance(by: step, shares)
        }
    }

    /// The busiest engine's utilisation.
    var busy: Double { seconds > 0 ? busySeconds / seconds : 0 }

    private mutating func place() {
        waiting.removeAll { workload, realTime in
            count += 1
            let id = JobID.named("\(count)")
            guard case .placed = scheduler.place(id, workload, realTime: realTime) else { return false }
            running[id] = Running(framesLeft: Double(workload.frames!), workload: workload, realTime: realTime)
            return true
        }
    }

    private mutating func advance(by step: Double, _ shares: EngineShares) {
        for (id, job) in running {
            running[id]!.framesLeft -= shares.rates[id]! * step
            if job.realTime, shares.rates[id]! < job.workload.frameRate * 0.999 { late += 1 }
        }
        if !waiting.isEmpty {
            busySeconds += (shares.used.filter { $0.key.device != .cpu }.values.max() ?? 0) * step
            seconds += step
        }
        for (id, job) in running where job.framesLeft < 1e-6 {
            running[id] = nil
            scheduler.remove(id)
        }
    }
}

/// Frames per second of each job, and the engines' load.
private struct EngineShares {
    private(set) var rates: [JobID: Double] = [:]
    private(set) var used: [EngineID: Double] = [:]
    /// Rates that may still become higher.
    private var growing: [JobID: Double]
    /// Seconds a frame.
    private let costs: [JobID: [EngineID: Double]]
    private let capacity: [EngineID: Double]

    init(_ running: [JobID: EngineModel.Running], _ scheduler: Scheduler, _ speed: Double) {
        costs = running.keys.reduce(into: [:]) { costs, id in
            for part in scheduler.demand(of: id)!.parts {
                costs[id, default: [:]][part.engine, default: 0] += part.secondsPerFrame * speed
            }
        }
        capacity = scheduler.capacity
        growing = running.filter { !$0.value.realTime }.mapValues { _ in 0 }
        for (id, job) in running where job.realTime { serve(id, job.workload.frameRate) }
        while !growing.isEmpty { grow() }
    }

    /// The rate of a job alone on the engines.
    private func alone(_ id: JobID) -> Double { 1 / costs[id]!.values.max()! }
    private func room(_ engine: EngineID) -> Double { (capacity[engine] ?? 1) - (used[engine] ?? 0) }

    private mutating func serve(_ id: JobID, _ frameRate: Double) {
        let seconds = costs[id]!.mapValues { $0 * frameRate }
        rates[id] = seconds.allSatisfy { $0.value + (used[$0.key] ?? 0) <= 1 } ? frameRate : 0.001
        used.merge(seconds, uniquingKeysWith: +)
    }

    /// Raises all rates until an engine is full or a job is at its maximum.
    private mutating func grow() {
        var pressure: [EngineID: Double] = [:]
        for id in growing.keys {
            for (engine, seconds) in costs[id]! { pressure[engine, default: 0] += seconds * alone(id) }
        }
        let rest = growing.map { 1 - $0.value / alone($0.key) } + pressure.map { room($0.key) / $0.value }
        let step = rest.min()!
        for id in growing.keys {
            growing[id]! += alone(id) * step
            for (engine, seconds) in costs[id]! { used[engine, default: 0] += seconds * alone(id) * step }
        }
        for (id, rate) in growing
        where rate >= alone(id) * (1 - 1e-9) || costs[id]!.keys.contains(where: { room($0) < 1e-9 }) {
            rates[id] = rate
            growing[id] = nil
        }
    }
}

@Suite("Engines' time")
struct EngineTimeTests {
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
        "the busiest engine is at least 95 % utilised while jobs wait, on one GPU and on two", arguments: [1, 2])
    func utilisation(gpus: Int) {
        let devices = [Device.cpu(cores: 8)] + (0..<gpus).map { .gpu("gpu\($0)") }
        #expect(EngineModel(Self.mixed(60), devices: devices, speed: 1).busy >= 0.95)
    }

    @Test("a real-time job is never late because of others")
    func realTime() {
        let stream = Workload(
            stages: [.decode: .init("h264", megapixels: 2), .encode: .init("hevc", megapixels: 2)], frameRate: 50,
            frames: 2000)
        var jobs = Self.mixed(40)
        jobs.insert((stream, true), at: 0)
        let devices = [Device.cpu(cores: 8), .gpu("gpu0"), .gpu("gpu1")]
        #expect(EngineModel(jobs, devices: devices, speed: 1).late == 0)
    }
}
