import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem

/// The threads of a cluster's worker: one claims jobs while there is capacity, one renews the claims, one receives
/// users' requests.
final class ClaimLoop: Sendable {
    private let cluster: Cluster
    private let jobs: ClaimedJobs
    private let loop: JobLoop
    private let workers: WorkerPool
    /// The identity of this process in records.
    private let worker: String
    private let hasGPU: Bool
    private let threads = StoppableThreads()
    /// Returns a report of devices and jobs.
    private let report: @Sendable () -> JSONValue?

    /// The heartbeat interval, in seconds. Several heartbeats may be lost.
    private static let beat = 5.0
    /// The number of heartbeats per report. NATS keeps a report for a minute.
    private static let beatsToReport = 3
    /// The seconds after which a source that this host has no room to fetch is offered again.
    private static let fetchWait = 30.0

    init(
        _ cluster: Cluster, _ jobs: ClaimedJobs, _ loop: JobLoop, _ workers: WorkerPool, worker: String,
        hasGPU: Bool, report: @escaping @Sendable () -> JSONValue?
    ) {
        (self.cluster, self.jobs, self.loop, self.workers) = (cluster, jobs, loop, workers)
        (self.worker, self.hasGPU, self.report) = (worker, hasGPU, report)
    }

    func start() throws(SystemError) {
        try threads.start("vtx-claims") { [self] in claim() }
        try threads.start("vtx-beat") { [self] in beat() }
        try threads.start("vtx-changes") { [self] in listen() }
    }

    func stop() { threads.stop() }

    private var isRunning: Bool { !threads.isStopping }

    private var key: String { Cluster.key(ofWorker: worker) }

    // MARK: Signs of life

    /// Sends a heartbeat. Heartbeats come from the job loop, so a loop that hangs sends none.
    private func beat() {
        var beats = 0
        while isRunning {
            loop.send(.keepClaims)
            if beats % Self.beatsToReport == 0, let report = report() {
                // If the report cannot be stored, the next beat repeats it.
                do throws(NATSError) { try cluster.put(worker: key, report) } catch { beats -= 1 }
            }
            beats += 1
            let next = MonotonicClock.seconds + Self.beat
            while isRunning, MonotonicClock.seconds < next { Pause.seconds(0.2) }
        }
        try? cluster.remove(worker: key)
    }

    private func listen() {
        var subscription: NATSSubscription?
        while isRunning {
            if subscription == nil { subscription = try? cluster.listenToChanges() }
            if subscription == nil { Pause.seconds(0.5) }
            guard let message = (try? subscription?.next(seconds: 0.5)) ?? nil,
                let job = WorkSubject.job(of: message.subject)
            else { continue }
            jobs.look(at: job)
        }
    }

    // MARK: Claiming

    private func claim() {
        var log = ReachabilityLog()
        while isRunning {
            guard loop.current.hasRoom, !jobs.hasWaiting else {
                Pause.seconds(0.1)
                continue
            }
            do throws(NATSError) {
                if let message = try cluster.nextWork(hardware: hasGPU) { try take(message) }
                log.noteAnswer()
            } catch {
                log.note(error)
                Pause.seconds(0.5)
            }
        }
    }

    private func take(_ message: NATSMessage) throws(NATSError) {
        guard let id = WorkSubject.job(of: message.subject) else { return try cluster.acknowledge(message) }
        if jobs.renew(id, message) { return }
        // The job's earlier work on this host has not ended yet.
        guard jobs.holds(id) else { return try cluster.giveBack(message, after: Self.beat) }
        guard let (record, revision) = try cluster.record(id) else { return try cluster.acknowledge(message) }
        switch try answer(to: record, message) {
        case .forget:
            try cluster.remove(id)
            try cluster.acknowledge(message)
        case .drop: try cluster.acknowledge(message)
        case .later(let seconds): try cluster.giveBack(message, after: seconds)
        case .take(let record): try take(record, revision, message)
        case .takeCommitting(let record): try completeCommit(record, revision, message)
        case .settle(let record, let actions): try settle(record, revision, message, actions)
        }
    }

    private func answer(to record: ClusterRecord, _ message: NATSMessage) throws(NATSError) -> ClaimAnswer {
        var answer = record.answer(to: worker, message: message.sequence, at: .now)
        if let segment = record.job.segment {
            let whole = try cluster.record(segment.whole)?.record.job
            answer = ClusterRecord.answer(ofSegmentOf: whole) ?? answer
        }
        guard case .take = answer else { return answer }
        if let other = record.job.waitsFor, try cluster.holdsOutput(other) { return .later(seconds: Job.outputWait) }
        guard record.job.isFetched, !loop.current.fetchesMore else { return answer }
        // Many of them must not come back faster than others can be found between them.
        return .later(seconds: min(Self.fetchWait * Double(message.deliveries), 120))
    }

    private func take(_ record: ClusterRecord, _ revision: UInt64, _ message: NATSMessage) throws(NATSError) {
        guard let written = try cluster.replace(record, revision: revision) else {
            return try cluster.giveBack(message, after: 0.2)
        }
        jobs.hold(record, written, message)
        loop.send(.added(record.job))
    }

    /// Completes the output of a worker that was lost while renaming it.
    private func completeCommit(
        _ taken: ClusterRecord, _ revision: UInt64, _ message: NATSMessage
    ) throws(NATSError) {
        guard let claimed = try cluster.replace(taken, revision: revision) else {
            return try cluster.giveBack(message, after: 0.2)
        }
        var record = taken
        if let result = workers.completeCommit(record.job) {
            let actions = (try? record.job.handle(.finished(result), at: .now)) ?? []
            record.claim = nil
            return try settle(record, claimed, message, actions)
        }
        switch record.recovering(from: nil, at: .now) {
        case .settle(let record, let actions): try settle(record, claimed, message, actions)
        default: try take(record, claimed, message)
        }
    }

    private func settle(
        _ record: ClusterRecord, _ revision: UInt64, _ message: NATSMessage, _ actions: [JobAction]
    ) throws(NATSError) {
        guard try cluster.replace(record, revision: revision) != nil else {
            return try cluster.giveBack(message, after: 0.2)
        }
        workers.perform(actions, for: record.job)
        try cluster.acknowledge(message)
    }
}
