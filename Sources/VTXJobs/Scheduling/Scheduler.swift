/// Places jobs on devices by engine time: what is scarce is an engine's second, not a slot.
///
/// A job of no hurry uses what it gets; another is added as long as all engines that it needs have something left. A
/// real-time job gets its whole demand, or does not start; beside it, others fit in whole or have to leave.
package struct Scheduler: Sendable {
    package enum Placing: Sendable, Hashable {
        case placed([Stage: DeviceName])
        /// Later, when another job has ended.
        case noRoom
        /// There is room as soon as these have stopped.
        case makeRoom(stopping: [JobID])
        /// No device that is left can do it, ever.
        case impossible
    }

    private struct Occupant: Sendable {
        var demand: Demand
        var realTime: Bool
        var priority: Int
    }

    package private(set) var devices: [DeviceName: Device] = [:]
    /// Of each engine, in seconds a second.
    package private(set) var capacity: [EngineID: Double] = [:]
    package var speeds: SpeedTable
    /// Devices that get no new jobs.
    package var unavailable: Set<DeviceName> = []
    /// Seconds a second that engines were really busy, where that is known: a job that waits for its source leaves
    /// more of them than its demand says.
    package var observed: [EngineID: Double] = [:]
    private var occupants: [JobID: Occupant] = [:]
    private let maxJobs: Int

    /// What an engine has to have left so that another job is worth its memory.
    private static let usefulPart = 0.05
    /// What real-time jobs may reserve of an engine: the rest is for what takes longer than usual.
    private static let reservablePart = 0.9

    /// - Parameter maxJobs: at one time, whatever the engines say; memory has an end too.
    package init(devices: [Device], speeds: SpeedTable = SpeedTable(), maxJobs: Int = 64) {
        self.speeds = speeds
        self.maxJobs = maxJobs
        setDevices(devices)
    }

    package mutating func setDevices(_ devices: [Device]) {
        self.devices = Dictionary(devices.map { ($0.name, $0) }) { first, _ in first }
        capacity = self.devices.values.reduce(into: [:]) { all, device in
            for (engine, capacity) in device.capacity { all[EngineID(device.name, engine)] = capacity }
        }
    }

    /// Finds devices for a job and takes their time.
    package mutating func place(
        _ id: JobID, _ workload: Workload, realTime: Bool = false, priority: Int = 0, avoiding: Set<DeviceName> = []
    ) -> Placing {
        let choices = choices(workload, realTime, avoiding)
        guard !choices.isEmpty else { return .impossible }
        guard occupants.count < maxJobs else { return .noRoom }
        let shares = shares()
        let fitting = choices.filter { fits($0.demand, realTime, shares) }
        guard let best = fitting.min(by: { pace($0.demand, shares) < pace($1.demand, shares) }) else {
            return realTime ? room(for: choices) : .noRoom
        }
        occupants[id] = Occupant(demand: best.demand, realTime: realTime, priority: priority)
        return .placed(best.stages)
    }

    package mutating func remove(_ id: JobID) { occupants[id] = nil }

    package func demand(of id: JobID) -> Demand? { occupants[id]?.demand }

    /// What each engine is expected to be busy, in seconds a second.
    package var load: [EngineID: Double] {
        let used = shares().used
        return Dictionary(uniqueKeysWithValues: capacity.keys.map { ($0, used[$0] ?? 0) })
    }

    /// Whether an engine that encodes has something left: a GPU's where there is one, else software's.
    package var hasRoom: Bool {
        let available = devices.values.filter { !unavailable.contains($0.name) }
        let gpus = available.filter { $0.name != .cpu }
        let shares = shares()
        let engines = (gpus.isEmpty ? available : gpus).compactMap { device in
            device.engines[.encode].map { EngineID(device.name, $0) }
        }
        return occupants.count < maxJobs
            && engines.contains { spare($0, shares) >= (capacity[$0] ?? 0) * Self.usefulPart }
    }

    private func shares() -> EngineShares {
        EngineShares(
            occupants.values.map { EngineShares.Occupant(loads: $0.demand.loads, realTime: $0.realTime) },
            capacity: capacity)
    }
}

// MARK: Which devices can

extension Scheduler {
    private typealias Choice = (stages: [Stage: DeviceName], demand: Demand)

    /// GPUs first: software has a job that may have a GPU only where none is left that encodes it.
    private func choices(_ workload: Workload, _ realTime: Bool, _ avoiding: Set<DeviceName>) -> [Choice] {
        let software = workload.allowsSoftware && devices[.cpu] != nil
        let gpus =
            workload.allowsHardware ? devices.values.filter { $0.name != .cpu && mayUse($0, workload, avoiding) } : []
        var found = gpus.compactMap { stages(workload, $0, software) }
        if found.isEmpty, software { found = [workload.stages.mapValues { _ in .cpu }] }
        return found.map { ($0, Demand(workload, realTime: realTime, on: $0, of: devices, speeds)) }
    }

    private func mayUse(_ device: Device, _ workload: Workload, _ avoiding: Set<DeviceName>) -> Bool {
        !unavailable.contains(device.name) && !avoiding.contains(device.name)
            && workload.devices?.contains(device.name) != false
    }

    /// The stages that a GPU does, the others in software; nil where it does not encode.
    private func stages(_ workload: Workload, _ gpu: Device, _ software: Bool) -> [Stage: DeviceName]? {
        let stages = workload.stages.reduce(into: [Stage: DeviceName]()) { stages, entry in
            stages[entry.key] = gpu.does(entry.key, entry.value.kind) ? gpu.name : .cpu
        }
        guard stages[.encode] == gpu.name, software || !stages.values.contains(.cpu) else { return nil }
        return stages
    }
}

// MARK: Room

extension Scheduler {
    private func fits(_ demand: Demand, _ realTime: Bool, _ shares: EngineShares) -> Bool {
        demand.loads.allSatisfy { engine, load in
            let capacity = capacity[engine] ?? 0
            if realTime {
                // One that needs more than there is gets all of it, rather than nothing for ever.
                let needed = min(load, capacity * Self.reservablePart)
                return reserved(engine) + needed <= capacity * Self.reservablePart && total(engine) + needed <= capacity
            }
            if reserved(engine) > 0 { return total(engine) + load <= capacity }
            return load < capacity * Self.usefulPart || spare(engine, shares) >= capacity * Self.usefulPart
        }
    }

    private func spare(_ engine: EngineID, _ shares: EngineShares) -> Double {
        guard let busy = observed[engine], let capacity = capacity[engine] else { return shares.spare(engine) }
        return max(0, capacity - busy)
    }

    /// What real-time jobs have of it.
    private func reserved(_ engine: EngineID) -> Double {
        occupants.values.filter(\.realTime).reduce(0) { $0 + ($1.demand.loads[engine] ?? 0) }
    }

    /// What all jobs on it would use if each had it alone.
    private func total(_ engine: EngineID) -> Double {
        occupants.values.reduce(0) { $0 + ($1.demand.loads[engine] ?? 0) }
    }

    /// Seconds a frame beside the jobs that are there.
    private func pace(_ demand: Demand, _ shares: EngineShares) -> Double {
        let crowding = demand.loads.map { engine, load in
            ((shares.used[engine] ?? 0) + load) / (capacity[engine] ?? 1)
        }
        return demand.secondsPerFrame * max(1, crowding.max() ?? 1)
    }

    /// The fewest jobs of the least priority that have to stop for a real-time job.
    private func room(for choices: [Choice]) -> Placing {
        let sacrifices = choices.compactMap { victims(for: $0.demand) }
        guard let fewest = sacrifices.min(by: { $0.count < $1.count }) else { return .noRoom }
        return .makeRoom(stopping: fewest)
    }

    private func victims(for demand: Demand) -> [JobID]? {
        var rest = self
        var stopped: [JobID] = []
        let batch = occupants.filter {
            !$0.value.realTime && $0.value.demand.loads.keys.contains { demand.loads[$0] != nil }
        }
        for (id, _) in batch.sorted(by: { ($0.value.priority, $1.key.text) < ($1.value.priority, $0.key.text) }) {
            if rest.fits(demand, true, rest.shares()) { break }
            rest.remove(id)
            stopped.append(id)
        }
        return rest.fits(demand, true, rest.shares()) ? stopped : nil
    }
}

/// How many seconds of an engine a megapixel takes: what was measured on this device, else a guess.
package struct SpeedTable: Sendable, Hashable, Codable {
    package struct Key: Sendable, Hashable, Codable {
        package var device: DeviceName
        package var stage: Stage
        package var kind: String

        package init(_ device: DeviceName, _ stage: Stage, _ kind: String) {
            (self.device, self.stage, self.kind) = (device, stage, kind)
        }
    }

    private var measured: [Key: Double] = [:]
    /// What a new measurement counts: one odd clip must not turn the table over.
    private static let weight = 0.3

    package init() {}

    package var rows: [Key: Double] { measured }

    package func secondsPerMegapixel(_ key: Key) -> Double { measured[key] ?? Self.guess(key) }

    /// Before anything was measured. GPUs: about 250 frames of 1080p a second; a core: x264 and x265 at `medium`.
    private static func guess(_ key: Key) -> Double {
        switch (key.device == .cpu, key.stage) {
        case (true, .decode): 0.002
        case (true, .process): 0.002
        case (true, .encode): key.kind == "h264" ? 0.02 : 0.06
        case (false, .decode): 0.001
        case (false, .process): 0.0005
        case (false, .encode): 0.002
        }
    }

    /// Learns from a job that has ended.
    ///
    /// - Parameters:
    ///   - frames: what was really done.
    ///   - seconds: of each engine, as the kernel counted them. What stages share an engine share the difference.
    package mutating func learn(_ demand: Demand, frames: Int, seconds: [EngineID: Double]) {
        for (engine, real) in seconds where real > 0 && frames > 0 {
            let stages = Self.stages(ofEngine: engine.engine)
            let parts = demand.parts.filter {
                $0.engine == engine || $0.engine.device == engine.device && stages.contains($0.key.stage)
            }
            let expected = parts.reduce(0) { $0 + $1.secondsPerFrame } * Double(frames)
            guard expected > 0 else { continue }
            for part in parts {
                let old = secondsPerMegapixel(part.key)
                measured[part.key] = old * (1 - Self.weight + Self.weight * real / expected)
            }
        }
    }

    /// What an engine does that is called so where the kernel counts its time: by i915, xe and amdgpu, in this order.
    private static func stages(ofEngine name: String) -> Set<Stage> {
        switch name {
        case "video", "vcs": [.decode, .encode]
        case "enc": [.encode]
        case "dec": [.decode]
        case "video-enhance", "vecs", "gfx": [.process]
        default: []
        }
    }
}
