import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem

/// The job loop of a server in a cluster. It hands jobs over to workers on other hosts, and tracks these and the jobs
/// that other servers accepted. Clients see its store; the cluster's records are authoritative.
final class ClusterTurn: LoopTurn {
    let cluster: Cluster
    let store: any JobStore & RecordStore & EventLog
    let ledger: JobLedger
    private let hub: any TransientEventListener
    let workers: WorkerPool
    private let metrics: Metrics
    private let snapshot: Locked<JobLoop.Snapshot>
    var isOver: Bool { hasEnded || ledger.hasGivenUp }
    private var hasEnded = false
    /// Jobs that may not be in the cluster yet, the oldest first.
    var pending: [JobID] = []
    /// When to retry after no server was reachable, in seconds of the monotonic clock.
    private var retryAt = 0.0
    /// The revisions of the records that this server wrote. Older changes that arrive later are ignored.
    var revisions: [JobID: UInt64] = [:]

    /// Jobs claimed by workers.
    private var active: Set<JobID> = []

    /// When to look next for waiting jobs that no worker is offered, in seconds of the monotonic clock.
    private var lookAt = MonotonicClock.seconds + ClusterTurn.lookSeconds

    /// The maximum number of jobs handed over before the mailbox is read again.
    private static let batch = 64
    private static let lookSeconds = 60.0
    /// The number of jobs in a look, and where the next one continues.
    private static let lookLimit = 500
    private var lookCursor: Int64?
    /// Jobs whose failed handing over has been reported.
    private var leftOut: Set<JobID> = []

    /// - Parameter workers: Removes the files of attempts, and notifies clients that wait for the end of a job.
    init(
        _ member: ClusterMember, _ store: any JobStore & RecordStore & EventLog, _ hub: any TransientEventListener,
        _ workers: WorkerPool, _ metrics: Metrics, _ snapshot: Locked<JobLoop.Snapshot>
    ) {
        (cluster, self.store, self.hub, self.workers) = (member.cluster, store, hub, workers)
        (self.metrics, self.snapshot) = (metrics, snapshot)
        ledger = JobLedger(store, metrics, snapshot, server: member.server)
    }

    var secondsToNextTick: Double {
        let next = pending.isEmpty ? lookAt : min(lookAt, retryAt)
        return max(0.01, next - MonotonicClock.seconds)
    }

    /// Checks all jobs that have not ended, because the previous server may have been killed at any point.
    func adopt() {
        ledger.retrying { () throws(StoreError) in
            var query = JobQuery(states: JobState.unfinished, limit: 500)
            var found: [JobID] = []
            repeat {
                let page = try store.list(query)
                found += page.jobs.map(\.id)
                active.formUnion(page.jobs.filter(\.isActive).map(\.id))
                query.cursor = page.cursor
            } while query.cursor != nil
            pending = found.reversed()
        }
    }

    func handle(_ messages: [JobMessage]) {
        messages.forEach { handle($0) }
        guard !isOver else { return }
        lookForWaiting()
        handOver()
    }

    private func handle(_ message: JobMessage) {
        switch message {
        case .added(let job): pending.append(job.id)
        case .news(.change(let change)): take(change)
        case .news(.report(let report)): take(report)
        case .news(.picture(let picture)): take(picture: picture)
        case .progress(let id, let progress) where active.contains(id):
            snapshot.withLock { $0.progress[id] = progress }
            hub.publish(progress.event(of: id, at: .now))
        case .progress: break  // It came after the job's end.
        case .command(let id, let event, let answer): answer.give(command(id, event))
        case .publish(let event): hub.publish(event)
        case .askDevices(let answer):
            answer.give(DeviceStatus(devices: [], health: [:], load: [:], capacity: [:], jobs: [:]))
        case .testDevice(_, let answer): answer.cancel()
        case .stop: hasEnded = true
        // Only a host that runs jobs gets these.
        case .event, .commit, .taken, .tested, .keepClaims: break
        }
    }

    // MARK: Handing over

    private func handOver() {
        guard MonotonicClock.seconds >= retryAt else { return }
        for _ in 0..<Self.batch {
            guard let id = pending.first else { return }
            do {
                try handOver(id)
                pending.removeFirst()
            } catch {
                if let error = error as? NATSError, leavesOut(id, because: error) { continue }
                // It stays in the store, and here.
                retryAt = MonotonicClock.seconds + 1
                return
            }
        }
    }

    /// Leaves out a job that can never be handed over, such as one with a record of a later version, so that the others
    /// do not wait for it. `lookForWaiting` finds it again.
    private func leavesOut(_ id: JobID, because error: NATSError) -> Bool {
        guard [.refused, .tooLarge].contains(error.kind) else { return false }
        if leftOut.insert(id).inserted { Log.error("job \(id) cannot be handed over: \(error)") }
        pending.removeFirst()
        return true
    }

    /// Offers a page of the queued jobs again, in case no worker can find them: the server that changed a job may have
    /// been killed before it offered it, or NATS may have lost the message.
    private func lookForWaiting() {
        guard MonotonicClock.seconds >= lookAt else { return }
        lookAt = MonotonicClock.seconds + Self.lookSeconds
        let page = try? store.list(JobQuery(states: [.queued], cursor: lookCursor, limit: Self.lookLimit))
        lookCursor = page?.cursor
        let known = Set(pending)
        pending += (page?.jobs ?? []).map(\.id).filter { !known.contains($0) }
    }

    /// Writes the record first, then its message. A server that is killed in between detects that.
    private func handOver(_ id: JobID) throws {
        guard var job = try store.job(id), !job.state.isFinal else { return }
        if let (record, revision) = try cluster.record(id) {
            if record.job.origin?.key != job.origin?.key { Log.warning(Self.otherRequest(job)) }
            mirror(record.job, revision)
            if record.claim == nil, record.job.state == .queued { try cluster.offerIfMissing(record.job) }
            return
        }
        // From a time when this server did the work itself.
        _ = try? job.handle(.adopt, at: .now)
        guard let revision = try cluster.create(ClusterRecord(job, folder: try folder(of: job))) else {
            // Another server was faster.
            return pending.append(id)
        }
        revisions[id] = revision
        if job.state == .queued { try cluster.offerIfMissing(job) }
    }

    private static func otherRequest(_ job: Job) -> String {
        "job \(job.id): another server accepted a request with the same Idempotency-Key at the same time, which takes precedence"
    }

    /// Returns the watch folder of a job, for workers of an earlier version, which find there what it skips.
    private func folder(of job: Job) throws -> JSONValue? {
        try job.watchFolder.flatMap { try store.record(RecordCollections.watchFolders, $0) }
    }

    // MARK: Keeping up

    private func take(_ change: Cluster.Change) {
        if let record = change.record { mirror(record.job, change.revision) }
        acknowledge(change.message)
    }

    private func mirror(_ job: Job, _ revision: UInt64) {
        // A segment is a part of the job that clients know.
        guard job.segment == nil, revision >= revisions[job.id] ?? 0 else { return }
        revisions[job.id] = job.state.isFinal ? nil : revision
        ledger.retrying { () throws(StoreError) in
            guard let stored = try store.job(job.id) else { return try add(job) }
            guard stored != job else { return }
            try ledger.save([job], nil)
            note(job)
            if job.state.isFinal, !stored.state.isFinal { workers.announceEnd(of: job) }
        }
    }

    /// Adds a job that another server accepted.
    private func add(_ job: Job) throws(StoreError) {
        let events = [JobRecord.event(of: job, at: .now)]
        if case .new = try store.add(job, key: job.origin?.key, events) {
            metrics.note(job)
        } else if try store.job(job.id) == nil {
            // The key is another job's here, from a time before the cluster.
            _ = try store.add(job, key: nil, events)
        } else {
            // A client has sent the same request to this server in the same moment.
            try ledger.save([job], nil)
        }
        note(job)
    }

    func note(_ job: Job) {
        if job.isActive { active.insert(job.id) } else { active.remove(job.id) }
        snapshot.withLock { [count = active.count] snapshot in
            snapshot.activeJobs = count
            if job.state.isFinal || job.state == .queued { snapshot.progress[job.id] = nil }
        }
    }

    private func take(_ message: NATSMessage) {
        switch ClusterReport(message) {
        case .event(let event):
            if let record = try? JSONValue(parsing: event.body) { metrics.note(record) }
            ledger.write(event)
        case .record(let record):
            ledger.retrying { () throws(StoreError) in try store.put(record.value, record.collection, record.name) }
        case nil: break
        }
        acknowledge(message)
    }

    /// NATS keeps what could not be stored for the next server.
    private func acknowledge(_ message: NATSMessage) {
        if !ledger.hasGivenUp { try? cluster.acknowledge(message) }
    }

    /// Takes a thumbnail, which is removed with its job. One whose job is not here would stay forever, and is ignored.
    private func take(picture: NATSMessage) {
        guard let (id, name) = Cluster.picture(of: picture), let thumbnail = Thumbnail(rawValue: name),
            (try? store.job(id)) ?? nil != nil
        else { return }
        workers.keep(thumbnail, picture.bytes, of: id)
        hub.publish(.thumbnail(thumbnail, of: id))
    }
}
