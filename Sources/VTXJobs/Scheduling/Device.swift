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
