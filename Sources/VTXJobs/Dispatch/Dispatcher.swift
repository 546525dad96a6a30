/// Takes jobs from the queue, has them planned, assigns devices, and tracks them until they end. A pure state machine:
/// the caller owns the queue, the workers and the clock.
package struct Dispatcher: Sendable {
    /// A job that the dispatcher tracks.
    struct Live: Sendable {
        var job: Job
        /// Whether it has a worker process.
        var hasWorker: Bool
        /// When it got its devices, in seconds of a monotonic clock.
        var placedAt: Double?
    }

    var live: [JobID: Live] = [:]
    var scheduler: Scheduler
    var shares: FairShare
    var health: [DeviceName: DeviceHealth]
    var isDraining = false
    /// The outputs that jobs have begun to write, which are theirs until they end or are paused.
    var outputs: [JobID: String] = [:]
    /// The jobs that ran when an earlier server ended. They are placed before any other, because their workers may still
    /// use the engines.
    package internal(set) var resuming: Set<JobID> = []
    /// Whether jobs that leave this host's workers come back to them. In a cluster other hosts may resume them.
    let isAlone: Bool
    private let worker: String
    let maxPlanning: Int
    /// The number of planned jobs per device that wait for engines: enough to find one that fits next to the running
    /// jobs.
    private static let stagedPerDevice = 3
    /// The number of jobs that it tracks, also of those that wait for another one's output.
    static let limit = 256

    /// - Parameters:
    ///   - worker: The name of this host and process in attempts.
    ///   - maxPlanning: The number of sources that are probed at once.
    ///   - isAlone: Whether no other host runs the same jobs.
    package init(
        worker: String, scheduler: Scheduler, health: [DeviceName: DeviceHealth] = [:], shares: FairShare = FairShare(),
        maxPlanning: Int = 2, isAlone: Bool = true
    ) {
        (self.worker, self.isAlone) = (worker, isAlone)
        self.scheduler = scheduler
        self.health = health
        self.shares = shares
        self.maxPlanning = maxPlanning
        for name in health.keys { self.health[name]?.adopt() }
        updateAvailability()
    }

    package mutating func handle(_ event: DispatchEvent, at now: Moment) -> [DispatchAction] {
        switch event {
        case .candidates(let jobs): take(jobs, now)
        case .worker(let id, let event): workerReported(id, event, now)
        case .revoke(let id): change(id, .makeRoom(.preempt), now)
        case .used(let id, let frames, let seconds): learn(id, frames, seconds, now)
        case .devices(let devices): setDevices(devices, now)
        case .observed(let busy): observe(busy, now)
        case .selfTest(let device, let failure): note(device, failure.map { .testFailed($0) } ?? .testPassed, now)
        case .testDevice(let device): note(device, .test, now)
        case .releaseDevice(let device): note(device, .release, now)
        case .tick: health.keys.sorted().flatMap { note($0, .tick, now) }
        case .drain: drain(now)
        }
    }

    // MARK: State

    /// Whether everything has stopped after `.drain`.
    package var isIdle: Bool { !live.values.contains { $0.hasWorker } }

    package func job(_ id: JobID) -> Job? { live[id]?.job }

    package var jobs: [Job] { live.values.map(\.job) }

    /// The calendar time at which a quarantine ends.
    package var nextTick: Timestamp? {
        health.values.filter { $0.state == .quarantined }.compactMap(\.quarantinedUntil).min()
    }

    package var deviceHealth: [DeviceName: DeviceHealth] { health }
    package var speeds: SpeedTable { scheduler.speeds }
    package var load: [EngineID: Double] { scheduler.load }
    package var capacity: [EngineID: Double] { scheduler.capacity }
    package var devices: [Device] { scheduler.devices.values.sorted { $0.name < $1.name } }

    var stagedLimit: Int { max(1, scheduler.devices.count) * Self.stagedPerDevice }
    var waiting: [Job] { live.values.filter { $0.job.state == .waiting }.map(\.job) }
    /// The planned jobs that wait for engines only.
    var staged: [Job] { waiting.filter { writer(ofOutputOf: $0) == nil } }
}

// MARK: Adding jobs

extension Dispatcher {
    private mutating func take(_ jobs: [Job], _ now: Moment) -> [DispatchAction] {
        guard !isDraining else { return [] }
        resuming = resuming.filter { id in live[id] != nil || jobs.contains { $0.id == id && $0.state == .queued } }
        let offered = jobs.filter { $0.state == .queued && (resuming.isEmpty || resuming.contains($0.id)) }
        var actions: [DispatchAction] = []
        for job in shares.order(offered) where live[job.id] == nil {
            guard wantsCandidates && hasPlanner(for: job) || isUrgent(job) else { continue }
            live[job.id] = Live(job: job, hasWorker: true)
            actions += change(job.id, .plan(worker: worker), now)
            actions += live[job.id].map { [.plan($0.job)] } ?? []
        }
        return actions
    }

    /// Assigns engines to waiting jobs.
    mutating func place(_ now: Moment) -> [DispatchAction] {
        guard !isDraining else { return [] }
        var actions: [DispatchAction] = []
        for job in shares.order(waiting) where resuming.remove(job.id) != nil { actions += place(job, now) }
        guard resuming.isEmpty else { return actions }
        let before = outputs
        actions += shares.order(staged).flatMap { job in place(job, now) }
        // A job that cannot run anywhere has ended, and another may have waited for its output.
        return actions + (outputs == before ? noteWaits(now) : place(now))
    }

    private mutating func place(_ job: Job, _ now: Moment) -> [DispatchAction] {
        guard let workload = job.workload, writer(ofOutputOf: job) == nil else { return [] }
        let placing = scheduler.place(
            job.id, workload, realTime: job.specification.realTime, priority: job.specification.priority,
            avoiding: Set(job.avoiding))
        switch placing {
        case .placed(let devices):
            live[job.id]?.hasWorker = true
            live[job.id]?.placedAt = now.uptime
            let saved = change(job.id, .start(worker: worker, devices), now)
            return saved + (live[job.id].map { [.run($0.job, devices)] } ?? [])
        case .makeRoom(let ids): return ids.flatMap { change($0, .makeRoom(.preempt), now) }
        case .noRoom: return []
        case .impossible: return change(job.id, .unplaceable(noDevice(for: workload)), now)
        }
    }

    private func noDevice(for workload: Workload) -> Failure {
        let kind = workload.stages[.encode]?.kind ?? "this"
        return Failure(
            .request, "hardware.noneLeft", "no device is left that encodes \(kind) for this job",
            hint: workload.allowsSoftware ? nil : "hardware 'auto' falls back to software")
    }
}

// MARK: Changing jobs

extension Dispatcher {
    /// Handles a user's request.
    ///
    /// - Parameter stored: The job in the store, for one that is not tracked.
    /// - Throws: if the job's state does not allow it.
    package mutating func command(
        _ event: JobEvent, on stored: Job, at now: Moment
    ) throws(JobConflict) -> (job: Job, actions: [DispatchAction]) {
        var changed = live[stored.id]?.job ?? stored
        let wanted = try changed.handle(event, at: now.time)
        let isLive = live[stored.id] != nil
        if isLive { live[stored.id]?.job = changed }
        noteOutput(of: changed)
        let actions = perform(wanted, changed, now) + (isLive && !changed.isActive ? release(changed.id, now) : [])
        return (actions.lastSaved(stored.id) ?? changed, actions + place(now))
    }

    private mutating func workerReported(_ id: JobID, _ event: JobEvent, _ now: Moment) -> [DispatchAction] {
        guard let before = live[id]?.job else { return [] }
        switch event {
        case .planned: live[id]?.hasWorker = false
        case .progress:
            // Too frequent to store.
            _ = try? live[id]?.job.handle(event, at: now.time)
            return []
        default: break
        }
        let actions = change(id, event, now)
        let judged = judge(event, before, now)
        // A job that is stopped during planning has no worker that could stop it.
        if case .planned = event, live[id]?.job.stopping != nil {
            return actions + judged + change(id, .stopped, now) + place(now)
        }
        return actions + judged + place(now)
    }

    /// Updates the health of a job's devices when it ends.
    private mutating func judge(_ event: JobEvent, _ job: Job, _ now: Moment) -> [DispatchAction] {
        switch event {
        case .failed(let failure):
            guard failure.category == .device, let device = failure.device else { return [] }
            return note(device, .fault(failure), now)
        case .finished:
            let used = Set(job.attempts.last?.devices.values.map { $0 } ?? []).subtracting([.cpu])
            return used.sorted().flatMap { note($0, .success, now) }
        default: return []
        }
    }

    mutating func change(_ id: JobID, _ event: JobEvent, _ now: Moment) -> [DispatchAction] {
        guard var job = live[id]?.job else { return [] }
        // Events from the dispatcher and workers are always allowed.
        let wanted = (try? job.handle(event, at: now.time)) ?? []
        live[id]?.job = job
        noteOutput(of: job)
        return perform(wanted, job, now) + (job.isActive ? [] : release(id, now))
    }

    private mutating func perform(_ wanted: [JobAction], _ job: Job, _ now: Moment) -> [DispatchAction] {
        var actions: [DispatchAction] = [.save(job)]
        for action in wanted {
            switch action {
            case .stopWorker(let reason):
                let hasWorker = live[job.id]?.hasWorker == true
                actions += hasWorker ? [.stop(job.id, reason)] : change(job.id, .stopped, now)
            case .endLeftWorker: actions.append(.endLeftWorker(job))
            case .ended: actions.append(.ended(job))
            }
        }
        return actions
    }

    /// Stops tracking the job and frees its engines, whose time its tenant has used.
    private mutating func release(_ id: JobID, _ now: Moment) -> [DispatchAction] {
        if let job = live[id], let since = job.placedAt, let demand = scheduler.demand(of: id) {
            let seconds = demand.loads.values.reduce(0, +) * (now.uptime - since)
            shares.charge(job.job.tenant, seconds: seconds, at: now.uptime)
        }
        scheduler.remove(id)
        live[id] = nil
        return []
    }

    private mutating func drain(_ now: Moment) -> [DispatchAction] {
        isDraining = true
        return live.keys.sorted { $0.text < $1.text }.flatMap { change($0, .makeRoom(.drain), now) }
    }
}

extension [DispatchAction] {
    /// The job as stored last.
    fileprivate func lastSaved(_ id: JobID) -> Job? {
        lazy.reversed().compactMap { if case .save(let job) = $0, job.id == id { job } else { nil } }.first
    }
}
