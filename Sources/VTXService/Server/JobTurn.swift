import Glibc
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// Handles messages one at a time, in the job loop's thread.
final class JobTurn: LoopTurn {
    private var dispatcher: Dispatcher
    private let store: any JobStore
    private let ledger: JobLedger
    private let hub: any TransientEventListener
    private let workers: WorkerPool
    /// nil on a single host.
    private let claims: (any JobClaims)?
    private let metrics: Metrics
    private let snapshot: Locked<JobLoop.Snapshot>
    private var stoppingSince: Double?
    private var killed = false
    var isOver: Bool { hasEnded || ledger.hasGivenUp }
    private var hasEnded = false
    /// Whether the queue may contain jobs that were not offered.
    private var looks = true
    private var nextRetry: Timestamp?
    /// The requests that wait for a device's test.
    private var testers: [DeviceName: [Answer<DeviceTest>]] = [:]

    /// The seconds for workers to reach a checkpoint. A container is killed after ten.
    private static let drainSeconds = 7.0

    init(
        _ dispatcher: Dispatcher, _ store: any JobStore & RecordStore & EventLog, _ hub: any TransientEventListener,
        _ workers: WorkerPool, _ metrics: Metrics, _ snapshot: Locked<JobLoop.Snapshot>, claims: (any JobClaims)? = nil
    ) {
        self.dispatcher = dispatcher
        self.store = store
        self.hub = hub
        self.workers = workers
        self.claims = claims
        self.metrics = metrics
        self.snapshot = snapshot
        ledger = JobLedger(store, metrics, snapshot)
    }

    private var now: Moment { Moment(uptime: MonotonicClock.seconds, time: .now) }

    var secondsToNextTick: Double {
        if stoppingSince != nil { return 0.2 }
        let times = [nextRetry, dispatcher.nextTick].compactMap { $0.map { $0 - Timestamp.now } }
        return min(max(times.min() ?? 60, 0.05), 60)
    }

    func adopt() {
        ledger.retrying { () throws(StoreError) in
            for var job in try store.active() {
                let result = job.committing == nil ? nil : workers.completeCommit(job)
                if result == nil { dispatcher.adopt(job) }
                let actions = try? job.handle(result.map { .finished($0) } ?? .adopt, at: now.time)
                try ledger.save([job], "adopted")
                workers.perform(actions ?? [], for: job)
            }
            try store.begun().forEach { dispatcher.adopt($0) }
            if claims == nil { try workers.removeFilesOfEnded(in: store) }
        }
        look()
    }

    func handle(_ messages: [JobMessage]) {
        if messages.isEmpty {
            perform(dispatcher.handle(.tick, at: now))
            looks = true
        }
        messages.forEach { handle($0) }
        if looks { look() }
        checkStop()
    }

    private func handle(_ message: JobMessage) {
        switch message {
        case .event(let event):
            if case .used(_, _, let seconds) = event { metrics.note(used: seconds) }
            perform(dispatcher.handle(event, at: now))
            looks = true
        case .added(let job): looks = looks || dispatcher.mayTake(job)
        case .command(let id, let event, let answer):
            answer.give(command(id, event))
            looks = true
        case .commit(let id, let result, let file, let announce, let answer):
            answer.give(mayCommit(id, result, file, announce))
        case .progress(let id, let progress): note(id, progress)
        case .taken(let id, let event, let position):
            if let record = event.flatMap({ try? JSONValue(parsing: $0.body) }) { metrics.note(record) }
            ledger.write(event, taken: position, of: id)
        case .publish(let event): hub.publish(event)
        case .keepClaims: keepClaims()
        case .news: break  // A server's, which has a turn of its own.
        case .askDevices(let answer): answer.give(DeviceStatus(dispatcher))
        case .testDevice(let device, let answer): test(device, answer)
        case .tested(let device, let test): note(test, of: device)
        case .stop: stop()
        }
    }

    /// Whether a worker may rename its output: only after that has been stored.
    private func mayCommit(
        _ id: JobID, _ result: JobResult, _ file: FileIdentity, _ announce: OutputAnnouncement?
    ) -> Bool {
        guard let job = dispatcher.job(id), job.stopping != .cancel else { return false }
        let losses = ledger.lossCount
        if let announce { ledger.retrying(announce) }
        perform(dispatcher.handle(.worker(id, .committing(result, file)), at: now))
        return holds(id) && !ledger.hasGivenUp && ledger.lossCount == losses
    }

    private func keepClaims() {
        let lost = claims?.keep(dispatcher.jobs) ?? []
        workers.removeLeftovers(of: lost, except: Set(dispatcher.jobs.map(\.id)))
    }

    private func test(_ device: DeviceName, _ answer: Answer<DeviceTest>) {
        testers[device, default: []].append(answer)
        perform(dispatcher.handle(.testDevice(device), at: now))
    }

    private func note(_ test: DeviceTest, of device: DeviceName) {
        perform(dispatcher.handle(.selfTest(device, test.failure), at: now))
        testers.removeValue(forKey: device)?.forEach { $0.give(test) }
        looks = true
    }

    // MARK: The queue

    private func look() {
        looks = false
        // Progress alone changes nothing of it.
        defer { snapshot.withLock { [dispatcher] in $0.note(dispatcher) } }
        guard stoppingSince == nil else { return }
        ledger.retrying { () throws(StoreError) in
            var jobs: [Job] = []
            // One that waits for a retry is a candidate like any other.
            for id in dispatcher.resuming { if let job = try store.job(id), job.retryAt == nil { jobs.append(job) } }
            for query in dispatcher.wantedCandidates { jobs += try store.candidates(at: now.time, query) }
            nextRetry = try store.nextRetry(after: now.time)
            perform(dispatcher.handle(.candidates(jobs), at: now))
        }
    }

    private func command(_ id: JobID, _ event: JobEvent) -> Result<Job, Problem> {
        do {
            guard let stored = try store.job(id) else { return .failure(.notFound("job", id.text)) }
            let (job, actions) = try dispatcher.command(event, on: stored, at: now)
            perform(actions)
            return ledger.hasGivenUp ? .failure(.stopping) : .success(job)
        } catch let error as StoreError {
            return .failure(Problem(error))
        } catch let conflict as JobConflict {
            return .failure(Problem(conflict))
        } catch {
            return .failure(Problem(500, "internal", "\(error)"))
        }
    }

    // MARK: Ending

    private func stop() {
        guard stoppingSince == nil else { return }
        stoppingSince = MonotonicClock.seconds
        testers.values.joined().forEach { $0.cancel() }
        perform(dispatcher.handle(.drain, at: now))
        looks = true
    }

    private func checkStop() {
        guard let since = stoppingSince else { return }
        hasEnded = hasEnded || dispatcher.isIdle
        let seconds = MonotonicClock.seconds - since
        if seconds > Self.drainSeconds, !killed {
            killed = true
            dispatcher.jobs.forEach { workers.kill($0.id) }
        }
        // The next server adopts what is left.
        if seconds > Self.drainSeconds + 1.5 { hasEnded = true }
    }

    // MARK: Telling

    private func note(_ id: JobID, _ progress: JobProgress) {
        guard let job = dispatcher.job(id) else { return }
        _ = dispatcher.handle(.worker(id, .progress(frames: progress.frames)), at: now)
        if progress.phase == Progress.Phase.verifying.rawValue, job.state == .running {
            perform(dispatcher.handle(.worker(id, .verifying), at: now))
        }
        snapshot.withLock { snapshot in
            snapshot.progress[id] = progress
            snapshot.bits[id, default: BitHistory()].note(progress)
        }
        if job.segment == nil { hub.publish(progress.event(of: id, at: now.time)) }
    }
}

// MARK: What the dispatcher wants done

extension JobTurn {
    private func perform(_ actions: [DispatchAction]) {
        var saved: [Job] = []
        for action in actions {
            if case .save(let job) = action {
                saved.append(job)
                continue
            }
            // Jobs are stored before an action depends on them.
            persist(&saved)
            act(action)
        }
        persist(&saved)
    }

    private func persist(_ jobs: inout [Job]) {
        guard !jobs.isEmpty else { return }
        // Only the latest state of a job is stored and published: one that was planned and placed at once is running.
        var newest: [JobID: Int] = [:]
        for (index, job) in jobs.enumerated() { newest[job.id] = index }
        jobs = jobs.enumerated().filter { newest[$1.id] == $0 }.map(\.element)
        ledger.save(jobs)
        snapshot.withLock { [jobs, active = dispatcher.jobs.count] snapshot in
            snapshot.activeJobs = active
            for job in jobs where job.state.isFinal || job.state == .queued {
                (snapshot.progress[job.id], snapshot.bits[job.id]) = (nil, nil)
            }
        }
        jobs = []
    }

    /// Whether this host has the job. If another host has it by now, its files and its record must not be touched.
    private func holds(_ id: JobID) -> Bool { claims?.holds(id) ?? true }

    private func act(_ action: DispatchAction) {
        if ledger.hasGivenUp { return }
        switch action {
        case .plan(let job) where !holds(job.id), .run(let job, _) where !holds(job.id):
            perform(dispatcher.handle(.worker(job.id, .stopped), at: now))
        case .save: break
        case .plan(let job): workers.plan(job)
        case .run(let job, let devices): workers.run(job, devices)
        case .stop(let id, let reason): workers.stop(id, reason)
        case .endLeftWorker(let job): workers.endLeftWorker(job)
        case .ended(let job): if holds(job.id) { workers.ended(job) }
        case .selfTest(let device): workers.selfTest(device)
        case .saveHealth(let device, let health): ledger.save(health, device)
        case .saveSpeeds(let speeds): ledger.save(speeds)
        }
    }
}
