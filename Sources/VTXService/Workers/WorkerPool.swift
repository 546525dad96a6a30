import Glibc
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// The threads of running jobs: each prepares the source, waits for the worker, and renames the output.
final class WorkerPool: Sendable {
    let runner: any JobRunner
    let files: JobFiles
    let transfer: URLTransfer
    /// nil if another process sends callbacks.
    private let callbacks: Callbacks?
    let loop: JobLoop
    let records: any RecordStore
    let outputs: any OutputRegistry
    /// nil for a single host.
    let segments: (any SegmentJobs)?
    /// Sends thumbnails drawn by this host to the servers; nil on a server.
    let sendThumbnail: SendThumbnail?
    /// The controls of the running jobs.
    private let controls = Locked<[JobID: RunControl]>([:])

    typealias SendThumbnail = @Sendable (Thumbnail, [UInt8], JobID) -> Void

    init(
        _ runner: any JobRunner, _ files: JobFiles, _ transfer: URLTransfer, _ callbacks: Callbacks?, _ loop: JobLoop,
        _ records: any RecordStore, _ outputs: any OutputRegistry, segments: (any SegmentJobs)? = nil,
        sendThumbnail: SendThumbnail? = nil
    ) {
        (self.segments, self.sendThumbnail) = (segments, sendThumbnail)
        self.runner = runner
        self.files = files
        self.transfer = transfer
        self.callbacks = callbacks
        self.loop = loop
        (self.records, self.outputs) = (records, outputs)
    }

    func plan(_ job: Job) {
        begin(job) { pool, control in .planned(try pool.planned(job, control)) }
    }

    func run(_ job: Job, _ devices: [Stage: DeviceName]) {
        begin(job) { pool, control in .finished(try pool.transcoded(job, devices, control)) }
    }

    func stop(_ id: JobID, _ reason: StopReason) { controls.withLock { $0[id] }?.stop(reason) }
    /// Kills a worker that did not stop.
    func kill(_ id: JobID) { controls.withLock { $0[id] }?.kill() }

    /// Removes the files after ending the worker of a killed server, which might otherwise create them again.
    func discard(_ job: Job) {
        guard let endWorker = runner.endOfLeftWorker(in: files.workDirectory(job.id)) else { return files.discard(job) }
        spawn("vtx-discard") { [files] in
            endWorker()
            files.discard(job)
        } failed: { [files] _ in
            files.discard(job)
        }
    }

    func endLeftWorker(_ job: Job) {
        guard let endWorker = runner.endOfLeftWorker(in: files.workDirectory(job.id)) else { return }
        spawn("vtx-end") {
            endWorker()
        } failed: { _ in
        }
    }

    /// Removes files of jobs that only this host can access.
    ///
    /// - Parameters:
    ///   - lost: Jobs that other hosts have claimed.
    ///   - jobs: Jobs in progress. Files of others are removed after a day: those jobs were stopped and continued
    ///     elsewhere.
    func removeLeftovers(of lost: Set<JobID>, except jobs: Set<JobID>) {
        for id in lost.union(files.jobs(leftBefore: .now + -86400)).subtracting(jobs) {
            files.remove(id)
            _ = try? records.removeRecord(RecordCollections.takenRecords, id.text)
        }
    }

    /// Notifies clients that wait for the end of a job on another host.
    func announceEnd(of job: Job) { callbacks?.jobEnded(job) }

    func ended(_ job: Job) {
        segments?.withdraw(job)
        removeFiles(ofEnded: job)
        announceEnd(of: job)
    }

    /// Performs actions for a job that no worker has.
    func perform(_ actions: [JobAction], for job: Job) {
        for action in actions {
            switch action {
            case .endLeftWorker: endLeftWorker(job)
            case .ended: ended(job)
            case .stopWorker: break
            }
        }
    }

    /// Removes what a killed server left: it may have stored the end of a job without removing its files.
    func removeFilesOfEnded(in store: any JobStore) throws(StoreError) {
        for id in files.jobs {
            if let job = try store.job(id), job.state.isFinal { removeFiles(ofEnded: job) }
        }
    }

    /// Removes what an ended job no longer needs. Can be repeated.
    func removeFiles(ofEnded job: Job) {
        switch job.state {
        case .succeeded:
            files.discardSegments(of: job)
            files.discardSource(of: job)
            Directory.removeTree(files.workDirectory(job.id))
        // The records say why the job failed. It resumes from them once the disk has space or a permission is granted.
        case .failed: if job.failure?.isResumable != true { files.discardUnfinished(job) }
        default: discard(job)
        }
    }

    func selfTest(_ device: DeviceName) {
        spawn("vtx-selftest") { [runner, loop] in
            loop.send(.tested(device, runner.selfTest(device, RunControl())))
        } failed: { [loop] error in
            loop.send(.tested(device, DeviceTest(failure: .notStarted(error))))
        }
    }

    /// Runs the work of a job in a thread, and reports its end to the loop exactly once.
    private func begin(_ job: Job, _ work: @escaping @Sendable (WorkerPool, RunControl) throws -> JobEvent) {
        let control = RunControl()
        controls.withLock { $0[job.id] = control }
        spawn("vtx-job") { [self] in
            let event = outcome(control) { try work(self, control) }
            end(job.id, event)
        } failed: { error in
            end(job.id, .failed(.notStarted(error)))
        }
    }

    private func end(_ id: JobID, _ event: JobEvent) {
        controls.withLock { $0[id] = nil }
        loop.send(.event(.worker(id, event)))
    }

    private func outcome(_ control: RunControl, _ work: () throws -> JobEvent) -> JobEvent {
        do { return try work() } catch let skip as Skip {
            return .skip(reason: skip.reason)
        } catch let failed as SegmentFailed {
            return .segmentFailed(failed.failure)
        } catch let taken as OutputTaken {
            return .outputTaken(by: taken.by)
        } catch let error as StoreError {
            let problem = Problem(error)
            return .failed(Failure(.busy, problem.code, problem.detail, hint: problem.hint))
        } catch let failure as Failure {
            return .failed(failure)
        } catch is Stopped {
            return .stopped
        } catch {
            return .failed(Failure(.worker, "internal", "\(error)"))
        }
    }

    /// Waits for a cluster that cannot be reached: a job that has begun goes on without it.
    ///
    /// - Parameter control: nil to try once.
    func waiting<Result>(_ control: RunControl?, _ body: () throws -> Result) throws -> Result {
        while true {
            do { return try body() } catch let error as StoreError where error.kind == .busy {
                guard let control else { throw error }
                if control.isStopped { throw Stopped() }
                Pause.seconds(0.5)
            }
        }
    }

    func spawn(
        _ name: String, _ body: @escaping @Sendable () -> Void, failed: (SystemError) -> Void = { _ in }
    ) {
        do throws(SystemError) { try Thread(name, body).detach() } catch { failed(error) }
    }
}

extension Failure {
    fileprivate static func notStarted(_ error: SystemError) -> Failure { Failure(.worker, "worker.spawn", "\(error)") }
}

/// There is nothing to do.
struct Skip: Error { var reason: String }
