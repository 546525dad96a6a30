import Testing
import VTXJobs

@Suite("Jobs survive failures")
struct DispatcherChaosTests {
    @Test("60 jobs each end once, whichever process dies", arguments: 1...4)
    func chaos(seed: UInt64) {
        var random = Generator(state: seed)
        var host = Host()
        let names = (0..<60).map { "j\($0)x" }
        names.forEach { host.submit(.named($0, at: Double($0.count))) }
        var steps = 0
        while host.ended.count < names.count, steps < 20000 {
            steps += 1
            host.seconds += 1
            Self.step(&host, names, &random)
        }
        #expect(host.ended.count == names.count && Set(host.ended).count == names.count)
        #expect(host.store.active().isEmpty && host.workers.isEmpty)
    }

    private static func step(_ host: inout Host, _ names: [String], _ random: inout Generator) {
        // The server is killed with its workers, and the next one adopts their jobs.
        if random.next() % 50 == 0 { return restart(&host) }
        guard let (id, kind) = host.workers.min(by: { $0.key.text < $1.key.text }) else {
            host.perform(.tick)
            return host.turn()
        }
        let name = names.first { JobID.named($0) == id }!
        switch random.next() % 10 {
        case 0: host.worker(name, .failed(.device("gpu0")))
        case 1: host.worker(name, .failed(Failure(.network, "input.unreachable", "no route")))
        case 2: host.worker(name, .failed(Failure(.worker, "worker.died", "gone")))
        case _ where kind == "plan": host.plan(name)
        default: host.worker(name, .finished(.good))
        }
    }

    private static func restart(_ host: inout Host) {
        let health = host.dispatcher.deviceHealth
        let devices = host.dispatcher.devices
        host.dispatcher = Dispatcher(worker: "w", scheduler: Scheduler(devices: devices), health: health)
        host.workers = [:]
        for var job in host.store.active() {
            _ = job.does(.adopt)
            host.store.save([job])
        }
        host.turn()
    }

    /// SplitMix64: the same numbers each time.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }
}
