/// What a job asks of each engine, with its stages on certain devices.
package struct Demand: Sendable, Hashable {
    package struct Part: Sendable, Hashable {
        package var key: SpeedTable.Key
        package var engine: EngineID
        package var secondsPerFrame: Double
    }

    package private(set) var parts: [Part] = []
    /// Seconds that a frame takes when the job is alone: the slowest engine sets the pace.
    package private(set) var secondsPerFrame = 0.0
    /// What part of each engine it uses, in seconds a second.
    package private(set) var loads: [EngineID: Double] = [:]

    /// - Parameter stages: the devices that do them; all are in `devices`.
    package init(
        _ workload: Workload, realTime: Bool, on stages: [Stage: DeviceName], of devices: [DeviceName: Device],
        _ speeds: SpeedTable
    ) {
        var costs: [EngineID: Double] = [:]
        for (stage, work) in workload.stages {
            guard let name = stages[stage], let engine = devices[name]?.engines[stage] else { continue }
            let key = SpeedTable.Key(name, stage, work.kind)
            let seconds = work.megapixels * speeds.secondsPerMegapixel(key)
            parts.append(Part(key: key, engine: EngineID(name, engine), secondsPerFrame: seconds))
            costs[EngineID(name, engine), default: 0] += seconds
        }
        secondsPerFrame = costs.map { $0.value / Self.width(of: $0.key, workload, devices) }.max() ?? 0
        let framesPerSecond = realTime ? workload.frameRate : secondsPerFrame > 0 ? 1 / secondsPerFrame : 0
        loads = costs.mapValues { $0 * framesPerSecond }
    }

    /// How much of an engine one job can use at once. Encoders share a frame among cores by rows of blocks: a small one
    /// has few.
    private static func width(of engine: EngineID, _ workload: Workload, _ devices: [DeviceName: Device]) -> Double {
        let capacity = devices[engine.device]?.capacity[engine.engine] ?? 1
        guard engine.device == .cpu else { return min(1, capacity) }
        let megapixels = workload.stages.values.map(\.megapixels).max() ?? 0
        return min(capacity, max(1, megapixels * 8))
    }
}

/// A GPU, or the host's cores: what does the stages of a job.
package struct Device: Sendable, Hashable, Codable {
    package var name: DeviceName
    /// What it can do, by stage: codecs, `scale`. Empty for all.
    package var abilities: [Stage: Set<String>]
    /// Which engine does a stage; several stages may share one.
    package var engines: [Stage: String]
    /// Seconds of work that an engine does in a second; cores, for the CPU.
    package var capacity: [String: Double]

    package init(
        name: DeviceName, abilities: [Stage: Set<String>], engines: [Stage: String], capacity: [String: Double]
    ) {
        self.name = name
        self.abilities = abilities
        self.engines = engines
        self.capacity = capacity
    }

    /// The host itself: software does everything.
    package static func cpu(cores: Int) -> Device {
        Device(
            name: .cpu, abilities: [:], engines: [.decode: "cores", .process: "cores", .encode: "cores"],
            capacity: ["cores": Double(cores)])
    }

    /// A GPU with one engine for each stage.
    package static func gpu(_ name: DeviceName, abilities: [Stage: Set<String>]) -> Device {
        let engines = Dictionary(uniqueKeysWithValues: abilities.keys.map { ($0, $0.rawValue) })
        return Device(
            name: name, abilities: abilities, engines: engines,
            capacity: Dictionary(uniqueKeysWithValues: engines.values.map { ($0, 1) }))
    }

    package func does(_ stage: Stage, _ kind: String) -> Bool {
        engines[stage] != nil && (name == .cpu || abilities[stage]?.contains(kind) == true)
    }
}

/// One engine of one device; what is scarce.
package struct EngineID: Sendable, Hashable, Comparable, CustomStringConvertible {
    package var device: DeviceName
    package var engine: String

    package init(_ device: DeviceName, _ engine: String) { (self.device, self.engine) = (device, engine) }

    package var description: String { "\(device)/\(engine)" }
    package static func < (left: EngineID, right: EngineID) -> Bool {
        (left.device, left.engine) < (right.device, right.engine)
    }
}
