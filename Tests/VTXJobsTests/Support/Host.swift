import VTXJobs

/// A dispatcher with a queue, scripted workers, and its saved jobs.
struct Host {
    var dispatcher: Dispatcher
    let store = MemoryStore()
    var seconds = 0.0
    /// Running workers: a job's id and the worker's purpose.
    var workers: [JobID: String] = [:]
    var stops: [JobID: StopReason] = [:]
    var runs: [JobID: [[Stage: DeviceName]]] = [:]
    var tested: [DeviceName] = []
    var ended: [JobID] = []

    init(_ devices: [Device] = [.cpu(cores: 1), .gpu("gpu0")]) {
        dispatcher = Dispatcher(worker: "w", scheduler: Scheduler(devices: devices))
        perform(.devices(devices))
    }

    var now: Moment { Moment(uptime: seconds, time: Timestamp(seconds: seconds)) }

    mutating func submit(_ jobs: Job...) {
        jobs.forEach { _ = store.add($0, key: nil) }
        turn()
    }

    mutating func perform(_ event: DispatchEvent) { perform(dispatcher.handle(event, at: now)) }

    mutating func perform(_ actions: [DispatchAction]) {
        for action in actions {
            switch action {
            case .save(let job): store.save([job])
            case .plan(let job): workers[job.id] = "plan"
            case .run(let job, let devices):
                workers[job.id] = "run"
                runs[job.id, default: []].append(devices)
            case .stop(let id, let reason): stops[id] = reason
            case .ended(let job): ended.append(job.id)
            case .selfTest(let device): tested.append(device)
            case .endLeftWorker, .saveHealth, .saveSpeeds: break
            }
        }
    }

    /// Offers queued jobs.
    mutating func turn() {
        var before = -1
        while before != workers.count {
            before = workers.count
            let wanted = dispatcher.wantedCandidates
            let resuming = dispatcher.resuming.compactMap { store.job($0) }.filter { $0.retryAt == nil }
            perform(.candidates(resuming + wanted.flatMap { store.candidates(at: now.time, $0) }))
        }
    }

    mutating func worker(_ name: String, _ event: JobEvent) {
        let id = JobID.named(name)
        switch event {
        case .planned, .skip, .finished, .failed, .stopped: workers[id] = nil
        default: break
        }
        perform(.worker(id, event))
        turn()
    }

    mutating func plan(_ name: String, _ workload: Workload = .clip) { worker(name, .planned(workload)) }

    mutating func command(_ name: String, _ event: JobEvent) throws -> JobState {
        let (job, actions) = try dispatcher.command(event, on: store.job(.named(name))!, at: now)
        perform(actions)
        turn()
        return job.state
    }

    func state(_ name: String) -> JobState? { store.job(.named(name))?.state }
}
