import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem

/// The store of a cluster's worker: the jobs it has claimed. Changes are written through to the cluster; the health and
/// speed of the worker's devices are stored locally.
final class ClaimedJobs: Sendable {
    struct Held: Sendable {
        var job: Job
        var claim: ClusterRecord.Claim
        /// The revision of the record as last read or written.
        var revision: UInt64
        var record: ClusterRecord
        var message: NATSMessage
    }

    private struct State {
        var held: [JobID: Held] = [:]
        /// Jobs in progress here that another worker has claimed since.
        var lost: Set<JobID> = []
        var isClosing = false
    }

    private let cluster: Cluster
    let local: any RecordStore
    let outbox: ClusterOutbox
    private let state = Locked(State())
    /// Called when another worker has claimed a job, and for users' requests.
    private let news: @Sendable (JobID, News) -> Void

    enum News: Sendable {
        case lost
        case asked(JobEvent)
        /// A user's request ended the job at the moment when the worker released it.
        case ended(Job, [JobAction])
    }

    init(
        _ cluster: Cluster, _ local: any RecordStore, _ outbox: ClusterOutbox,
        news: @escaping @Sendable (JobID, News) -> Void
    ) {
        (self.cluster, self.local, self.outbox, self.news) = (cluster, local, outbox, news)
    }

    // MARK: Claims

    /// Adds a claimed job, whose record contains the claim.
    func hold(_ record: ClusterRecord, _ revision: UInt64, _ message: NATSMessage) {
        guard let claim = record.claim else { return }
        state.withLock { state in
            state.held[record.job.id] = Held(
                job: record.job, claim: claim, revision: revision, record: record, message: message)
        }
    }

    /// Renews a job in progress whose message was delivered again because NATS lost contact with this worker for a
    /// while.
    ///
    /// - Returns: whether the job is in progress here.
    func renew(_ job: JobID, _ message: NATSMessage) -> Bool {
        state.withLock { state in
            guard state.held[job]?.message.sequence == message.sequence else { return false }
            state.held[job]?.message = message
            return true
        }
    }

    /// Whether a claimed job has not been started.
    var hasWaiting: Bool { state.withLock { $0.held.values.contains { $0.job.state == .queued } } }

    var heldJobs: [JobID] { state.withLock { Array($0.held.keys) } }

    /// Stops writing when the worker ends. What cannot be written now is left to the next one.
    func close() { state.withLock { $0.isClosing = true } }

    /// Reads the record of a job for which a user has made a request, or which another worker has claimed.
    func look(at id: JobID) {
        guard let held = state.withLock({ $0.held[id] }), let found = try? found(id) else { return }
        switch found {
        case .none: forget(id)
        case .some(let (record, revision)): if revision != held.revision { compare(held, record) }
        }
    }

    /// - Returns: nil if there is no record.
    private func found(_ id: JobID) throws(NATSError) -> Cluster.Revised?? { .some(try cluster.record(id)) }

    /// Checks whether the job that joins the segment has ended or been paused.
    private func look(at segment: JobSegment, _ id: JobID) {
        guard let found = try? found(segment.whole) else { return }
        switch ClusterRecord.answer(ofSegmentOf: found?.record.job) {
        case .forget:
            try? cluster.remove(id)
            forget(id)
        case .later: news(id, .asked(.pause))
        default: break
        }
    }

    private func compare(_ held: Held, _ record: ClusterRecord) {
        let id = held.job.id
        guard record.claim == held.claim else {
            // The loop has just written the end of the job, which releases the claim.
            if held.job.isActive, record.claim == nil, record.claims == held.claim.number { return }
            return lose(id)
        }
        if let reason = record.job.stopping, held.job.stopping != reason {
            if reason == .cancel { news(id, .asked(.cancel)) }
            if reason == .pause { news(id, .asked(.pause)) }
        }
        let priority = record.job.specification.priority
        if priority != held.job.specification.priority { news(id, .asked(.prioritize(priority))) }
    }

    /// Removes a segment that is no longer needed, so that no other worker gets its message.
    private func forget(_ id: JobID) {
        if let message = state.withLock({ $0.held[id]?.message }) { try? cluster.acknowledge(message) }
        lose(id)
    }

    private func lose(_ id: JobID) {
        state.withLock { state in
            state.held[id] = nil
            state.lost.insert(id)
        }
        news(id, .lost)
    }
}

extension ClaimedJobs: JobClaims {
    func holds(_ job: JobID) -> Bool { state.withLock { !$0.lost.contains(job) } }

    func keep(_ jobs: [Job]) -> Set<JobID> {
        // Nothing more is done with those that the loop has released.
        let released = state.withLock { state in
            let released = state.lost.subtracting(jobs.map(\.id))
            state.lost.subtract(released)
            return released
        }
        for held in state.withLock({ Array($0.held.values) }) { try? cluster.keep(held.message) }
        for job in jobs {
            guard let held = state.withLock({ $0.held[job.id] }) else { continue }
            // How far it came: a job that makes progress is not parked for the workers that it has lost.
            if held.job.furthestFrame != job.furthestFrame { try? write(job) } else { look(at: job.id) }
            if let segment = job.segment { look(at: segment, job.id) }
        }
        return released
    }
}

// MARK: Jobs

extension ClaimedJobs: JobStore {
    func add(_ job: Job, key: IdempotencyKey?, _ events: [LoggedEvent]) throws(StoreError) -> Added {
        throw StoreError(.failed, "a worker accepts only its cluster's jobs")
    }

    func added(by key: IdempotencyKey) -> Added? { nil }

    func save(_ jobs: [Job], _ events: [LoggedEvent], _ records: [StoredRecord]) throws(StoreError) -> [Int64] {
        for job in jobs {
            do throws(NATSError) { try write(job) } catch {
                guard state.withLock({ $0.isClosing }) else {
                    throw StoreError(error)
                }
                state.withLock { state in
                    state.held[job.id] = nil
                    state.lost.insert(job.id)
                }
            }
        }
        // Of jobs, the servers make events of their own.
        for event in events where event.type != "job" { outbox.add(.event(event)) }
        // Callbacks are the server's, which tells of the end itself.
        for record in records where record.collection == RecordCollections.takenRecords {
            try local.put(record.value, record.collection, record.name)
        }
        return []
    }

    /// Writes the job's record with compare-and-set, as long as this worker owns it.
    private func write(_ job: Job) throws(NATSError) {
        guard var held = state.withLock({ $0.held[job.id] }) else { return }
        var record = held.record
        (record.job, record.claim) = (job, job.isActive ? held.claim : nil)
        var actions: [JobAction] = []
        while true {
            if let revision = try cluster.replace(record, revision: held.revision) {
                (held.record, held.revision) = (record, revision)
                if !actions.isEmpty { news(job.id, .ended(record.job, actions)) }
                return written(held, job)
            }
            guard let (current, revision) = try cluster.record(job.id) else { return forget(job.id) }
            if current == record {
                // It was written, and the answer was lost.
                (held.record, held.revision) = (record, revision)
                return written(held, job)
            }
            guard let merged = current.merging(job, claim: held.claim, at: .now) else { return lose(job.id) }
            compare(held, current)
            (record, actions, held.revision) = (merged.record, merged.actions, revision)
        }
    }

    /// - Parameter job: The job as known to the job loop, which receives users' requests as messages.
    private func written(_ held: Held, _ job: Job) {
        var held = held
        held.job = job
        if held.record.claim != nil { return state.withLock { $0.held[job.id] = held } }
        state.withLock { $0.held[job.id] = nil }
        if held.record.job.state == .queued {
            let seconds = held.record.job.retryAt.map { $0 - .now } ?? 0
            try? cluster.giveBack(held.message, after: seconds)
        } else {
            try? cluster.acknowledge(held.message)
        }
    }

    func job(_ id: JobID) -> Job? { state.withLock { $0.held[id]?.job } }

    /// Returns the watch folder in the record of a job.
    func watchFolder(_ name: String) -> JSONValue? {
        state.withLock { state in
            state.held.values.lazy.filter { $0.job.watchFolder == name }.compactMap(\.record.folder).first
        }
    }

    func list(_ query: JobQuery) -> JobPage { JobPage(jobs: [], cursor: nil) }

    func candidates(at now: Timestamp, _ query: CandidateQuery) -> [Job] {
        state.withLock { state in
            state.held.values.map(\.job).filter { $0.state == .queued && $0.isFetched == query.areFetched }
        }
    }

    func nextRetry(after now: Timestamp) -> Timestamp? { nil }
    func active() -> [Job] { [] }
    func begun() -> [Job] { [] }
    func counts() -> [JobState: Int] { [:] }
    func removeEnded(before time: Timestamp, limit: Int) -> [Job] { [] }
}
