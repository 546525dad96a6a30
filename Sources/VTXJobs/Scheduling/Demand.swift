/// What a job needs of each engine, with its stages on certain devices.
package struct Demand: Sendable, Hashable {
    package struct Part: Sendable, Hashable {
        package var key: SpeedTable.Key
        package var engine: EngineID
        package var secondsPerFrame: Double
    }

    package private(set) var parts: [Part] = []
    /// The time per frame, in seconds, if the job runs alone: the slowest engine determines it.
    package private(set) var secondsPerFrame = 0.0
    /// The fraction of each engine that it uses, in seconds per second.
    package private(set) var loads: [EngineID: Double] = [:]

    /// - Parameter stages: The device of each stage; all are in `devices`.
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

    /// Returns how much of an engine one job can use at once. Encoders split a frame among cores by rows of blocks, of
    /// which a small frame has few.
    private static func width(of engine: EngineID, _ workload: Workload, _ devices: [DeviceName: Device]) -> Double {
        let capacity = devices[engine.device]?.capacity[engine.engine] ?? 1
        guard engine.device == .cpu else { return min(1, capacity) }
        let megapixels = workload.stages.values.map(\.megapixels).max() ?? 0
        return min(capacity, max(1, megapixels * 8))
    }
}

/// A GPU, or the host's cores.
package struct Device: Sendable, Hashable, Codable {
    package var name: DeviceName
    /// The abilities by stage: codecs, `scale`. Empty for all.
    package var abilities: [Stage: Set<String>]
    /// The engine of each stage; several stages may share one.
    package var engines: [Stage: String]
    /// The capacity of an engine, in seconds per second; for the CPU, the number of cores.
    package var capacity: [String: Double]

    package init(
        name: DeviceName, abilities: [Stage: Set<String>], engines: [Stage: String], capacity: [String: Double]
    ) {
        self.name = name
        self.abilities = abilities
        self.engines = engines
        self.capacity = capacity
    }

    /// Returns the host itself, whose software supports everything.
    package static func cpu(cores: Int) -> Device {
        Device(
            name: .cpu, abilities: [:], engines: [.decode: "cores", .process: "cores", .encode: "cores"],
            capacity: ["cores": Double(cores)])
    }

    /// Returns a GPU with one engine per stage.
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

/// An engine of a device, the resource that is scheduled.
package struct EngineID: Sendable, Hashable, Comparable, CustomStringConvertible {
    package var device: DeviceName
    package var engine: String

    package init(_ device: DeviceName, _ engine: String) { (self.device, self.engine) = (device, engine) }

    package var description: String { "\(device)/\(engine)" }
    package static func < (left: EngineID, right: EngineID) -> Bool {
        (left.device, left.engine) < (right.device, right.engine)
    }
}
