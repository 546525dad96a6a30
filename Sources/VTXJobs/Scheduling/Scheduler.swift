/// Assigns jobs to devices by engine time rather than by slots.
///
/// A normal job uses the time that it gets; another one is added as long as all its engines have time left. A real-time
/// job gets its whole demand or does not start. Other jobs run next to it only if they fit completely, or must stop.
package struct Scheduler: Sendable {
    package enum Placing: Sendable, Hashable {
        case placed([Stage: DeviceName])
        /// Not now, but once another job has ended.
        case noRoom
        /// Once these jobs have stopped.
        case makeRoom(stopping: [JobID])
        /// Never: no remaining device can run it.
        case impossible
    }

    private struct Occupant: Sendable {
        var demand: Demand
        var realTime: Bool
        var priority: Int
    }

    package private(set) var devices: [DeviceName: Device] = [:]
    /// The capacity of each engine, in seconds per second.
    package private(set) var capacity: [EngineID: Double] = [:]
    package var speeds: SpeedTable
    /// Devices that get no new jobs.
    package var unavailable: Set<DeviceName> = []
    /// The measured load of engines, in seconds per second, if known: a job that waits for its source uses less than
    /// its demand.
    package var observed: [EngineID: Double] = [:]
    private var occupants: [JobID: Occupant] = [:]
    /// The real-time jobs for which others stop. Their engines are reserved already: otherwise each job that stops
    /// would be replaced by the next one that waits.
    private var expected: [JobID: Occupant] = [:]
    private let maxJobs: Int

    /// The fraction of an engine that must be free for another job to be worth its memory.
    private static let usefulPart = 0.05
    /// The fraction of an engine that real-time jobs may reserve; the rest absorbs variations.
    private static let reservablePart = 0.9

    /// - Parameter maxJobs: The maximum number of concurrent jobs, because memory is limited too.
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

    /// Finds devices for a job and reserves their time.
    package mutating func place(
        _ id: JobID, _ workload: Workload, realTime: Bool = false, priority: Int = 0, avoiding: Set<DeviceName> = []
    ) -> Placing {
        expected[id] = nil
        let choices = choices(workload, realTime, avoiding)
        guard !choices.isEmpty else { return .impossible }
        guard occupants.count < maxJobs else { return .noRoom }
        let shares = shares()
        let fitting = choices.filter { fits($0.demand, realTime, shares) }
        guard let best = fitting.min(by: { pace($0.demand, shares) < pace($1.demand, shares) }) else {
            return realTime ? makeRoom(for: id, choices, priority) : .noRoom
        }
        occupants[id] = Occupant(demand: best.demand, realTime: realTime, priority: priority)
        return .placed(best.stages)
    }

    package mutating func remove(_ id: JobID) {
        occupants[id] = nil
        expected[id] = nil
    }

    package func demand(of id: JobID) -> Demand? { occupants[id]?.demand }

    /// The expected load of each engine, in seconds per second.
    package var load: [EngineID: Double] {
        let used = shares().used
        return Dictionary(uniqueKeysWithValues: capacity.keys.map { ($0, used[$0] ?? 0) })
    }

    /// Whether an encoding engine has time left: a GPU's if there is one, else software's.
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

// MARK: Suitable devices

extension Scheduler {
    private typealias Choice = (stages: [Stage: DeviceName], demand: Demand)

    /// Returns GPUs first. Software gets a job that may use a GPU only if none is left that can encode it.
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

    /// Returns the stages that a GPU runs, with the others in software; nil if it cannot encode.
    private func stages(_ workload: Workload, _ gpu: Device, _ software: Bool) -> [Stage: DeviceName]? {
        let stages = workload.stages.reduce(into: [Stage: DeviceName]()) { stages, entry in
            stages[entry.key] = gpu.does(entry.key, entry.value.kind) ? gpu.name : .cpu
        }
        guard stages[.encode] == gpu.name, software || !stages.values.contains(.cpu) else { return nil }
        return stages
    }
}

// MARK: Capacity

extension Scheduler {
    private func fits(_ demand: Demand, _ realTime: Bool, _ shares: EngineShares) -> Bool {
        demand.loads.allSatisfy { engine, load in
            let capacity = capacity[engine] ?? 0
            if realTime {
                // A job that needs more than there is gets everything; otherwise it would never start.
                let needed = min(load, capacity * Self.reservablePart)
                return reserved(engine) + needed <= capacity * Self.reservablePart && total(engine) + needed <= capacity
            }
            if reserved(engine) > 0 { return total(engine) + load <= capacity }
            return load < capacity * Self.usefulPart || spare(engine, shares) >= capacity * Self.usefulPart
                || takesAnother(engine)
        }
    }

    /// A GPU runs two jobs: while one starts or is verified, the other keeps the engines busy.
    private func takesAnother(_ engine: EngineID) -> Bool {
        engine.device != .cpu && occupants.values.count { $0.demand.loads[engine] != nil } < 2
    }

    private func spare(_ engine: EngineID, _ shares: EngineShares) -> Double {
        guard let busy = observed[engine], let capacity = capacity[engine] else { return shares.spare(engine) }
        return max(0, capacity - busy)
    }

    /// Returns the engine's time that real-time jobs have reserved.
    private func reserved(_ engine: EngineID) -> Double {
        claims.filter(\.realTime).reduce(0) { $0 + ($1.demand.loads[engine] ?? 0) }
    }

    /// Returns the engine's time that all its jobs would use if each ran alone.
    private func total(_ engine: EngineID) -> Double {
        claims.reduce(0) { $0 + ($1.demand.loads[engine] ?? 0) }
    }

    private var claims: [Occupant] { Array(occupants.values) + Array(expected.values) }

    /// Returns the seconds per frame next to the running jobs.
    private func pace(_ demand: Demand, _ shares: EngineShares) -> Double {
        let crowding = demand.loads.map { engine, load in
            ((shares.used[engine] ?? 0) + load) / (capacity[engine] ?? 1)
        }
        return demand.secondsPerFrame * max(1, crowding.max() ?? 1)
    }

    /// Finds the fewest jobs with the lowest priority that must stop for a real-time job, and reserves their engines.
    private mutating func makeRoom(for id: JobID, _ choices: [Choice], _ priority: Int) -> Placing {
        let sacrifices = choices.compactMap { choice in victims(for: choice.demand).map { (choice.demand, $0) } }
        guard let fewest = sacrifices.min(by: { $0.1.count < $1.1.count }) else { return .noRoom }
        expected[id] = Occupant(demand: fewest.0, realTime: true, priority: priority)
        return .makeRoom(stopping: fewest.1)
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
