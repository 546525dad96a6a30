import Testing
import VTXJobs

@Suite("A job's devices")
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

    @Test("a GPU that supports all stages runs all stages")
    mutating func gpu() { #expect(place("a") == "decode=gpu0 encode=gpu0") }

    @Test("the CPU decodes what a GPU cannot")
    mutating func mixed() {
        var workload = Workload.clip
        workload.stages[.decode] = .init("vp9", megapixels: 2)
        #expect(place("a", workload) == "decode=cpu encode=gpu0")
        workload.allowsSoftware = false
        #expect(place("b", workload) == "impossible")
    }

    @Test("software runs the job if no GPU supports it, is allowed, healthy, or available")
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

    @Test("the less busy of two GPUs is chosen, and only a requested one")
    mutating func balance() {
        scheduler.setDevices([.cpu(cores: 8), .gpu("gpu0"), .gpu("gpu1")])
        #expect(Set([place("a"), place("b")]) == ["decode=gpu0 encode=gpu0", "decode=gpu1 encode=gpu1"])
        var workload = Workload.clip
        workload.devices = [DeviceName("gpu9")]
        workload.allowsSoftware = false
        #expect(place("c", workload) == "impossible")
    }

    @Test("a GPU has two jobs, so that it is busy while one begins or ends; software has one on all cores")
    mutating func pairs() {
        scheduler = Scheduler(devices: [.cpu(cores: 1), .gpu("gpu0")])
        #expect([place("a"), place("b")] == ["decode=gpu0 encode=gpu0", "decode=gpu0 encode=gpu0"])
        #expect(place("c") == "no room")
        var software = Workload.clip
        software.allowsHardware = false
        #expect(place("d", software) == "decode=cpu encode=cpu")
        #expect(place("e", software) == "no room")
    }

    @Test("a job found to wait for its source leaves capacity to others")
    mutating func observed() {
        scheduler = Scheduler(devices: [.cpu(cores: 1), .gpu("gpu0")])
        #expect(place("a").hasPrefix("decode"))
        #expect(place("b").hasPrefix("decode"))
        #expect(place("c") == "no room")
        scheduler.observed = [EngineID(DeviceName("gpu0"), "encode"): 0.2, EngineID(DeviceName("gpu0"), "decode"): 0.1]
        #expect(place("c").hasPrefix("decode"))
    }

    /// Learns from jobs with this engine time.
    private mutating func learn(_ seconds: [String: Double], jobs: Int = 40) {
        for _ in 0..<jobs {
            _ = place("a")
            let used = Dictionary(uniqueKeysWithValues: seconds.map { (EngineID(DeviceName("gpu0"), $0), $1) })
            scheduler.speeds.learn(scheduler.demand(of: .named("a"))!, frames: 1000, seconds: used)
            scheduler.remove(.named("a"))
        }
    }

    private func cost(_ stage: Stage, _ kind: String) -> Double {
        scheduler.speeds.secondsPerMegapixel(.init(DeviceName("gpu0"), stage, kind))
    }

    @Test("measured speeds override the estimate")
    mutating func learning() {
        let guess = cost(.encode, "hevc")
        learn(["encode": 2.07 * guess * 1000 * 4])
        #expect(abs(cost(.encode, "hevc") / (guess * 4) - 1) < 0.01)
    }

    @Test("an engine is identified by the kernel's name", arguments: ["video", "vcs"], ["enc", "none"])
    mutating func kernelNames(both: String, encoder: String) {
        let (decoding, encoding) = (cost(.decode, "h264"), cost(.encode, "hevc"))
        let busy = 2.07 * (decoding + encoding) * 1000 * 3
        learn([both: busy])
        #expect(abs(cost(.decode, "h264") / (decoding * 3) - 1) < 0.01)
        #expect(abs(cost(.encode, "hevc") / (encoding * 3) - 1) < 0.01)
        learn([encoder: 2.07 * encoding * 1000])
        #expect(abs(cost(.encode, "hevc") / (encoding * (encoder == "enc" ? 1 : 3)) - 1) < 0.01)
    }
}

@Suite("Real-time jobs")
struct RealTimeTests {
    private var scheduler = Scheduler(devices: [.cpu(cores: 1), .gpu("gpu0")])

    /// Half an engine at the estimated speed: 2 MP * 0.002 s * 120 = 0.48.
    private static let stream = Workload(
        stages: [.decode: .init("h264", megapixels: 2), .encode: .init("hevc", megapixels: 2)], frameRate: 120)

    @Test("one that exceeds a GPU gets all of it")
    mutating func tooMuch() {
        var stream = Self.stream
        stream.frameRate *= 10
        #expect(scheduler.place(.named("a"), .clip) != .noRoom)
        #expect(scheduler.place(.named("s"), stream, realTime: true) == .makeRoom(stopping: [.named("a")]))
        scheduler.remove(.named("a"))
        #expect(scheduler.place(.named("s"), stream, realTime: true) != .noRoom)
        #expect(scheduler.place(.named("b"), .clip) == .noRoom)
    }

    @Test("start only if the unreserved engine time suffices")
    mutating func reserve() {
        #expect(scheduler.place(.named("a"), Self.stream, realTime: true) != .noRoom)
        #expect(scheduler.place(.named("b"), Self.stream, realTime: true) == .noRoom)
        scheduler.remove(.named("a"))
        #expect(scheduler.place(.named("b"), Self.stream, realTime: true) != .noRoom)
    }

    @Test("preempt as few jobs as possible, lowest priority first")
    mutating func preempt() {
        _ = scheduler.place(.named("a"), .clip, priority: 5)
        guard case .makeRoom(let stopped) = scheduler.place(.named("s"), Self.stream, realTime: true) else {
            Issue.record("the stream would run beside a job that takes the whole engine")
            return
        }
        #expect(stopped == [.named("a")])
        scheduler.remove(.named("a"))
        #expect(scheduler.place(.named("s"), Self.stream, realTime: true) != .noRoom)
        // A job that needs the whole engine does not start next to it.
        #expect(scheduler.place(.named("b"), .clip) == .noRoom)
    }
}
