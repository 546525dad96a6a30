import Glibc
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// The threads of running jobs: each prepares the source, waits for the worker, and renames the output.
final class WorkerPool: JobWorkers {
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

    func removeLeftovers(of lost: Set<JobID>, except jobs: Set<JobID>) {
        for id in lost.union(files.jobs(leftBefore: .now + -86400)).subtracting(jobs) {
            files.remove(id)
            _ = try? records.removeRecord(RecordCollections.takenRecords, id.text)
        }
    }

    func announceEnd(of job: Job) { callbacks?.jobEnded(job) }

    func ended(_ job: Job) {
        segments?.withdraw(job)
        removeFiles(ofEnded: job)
        announceEnd(of: job)
    }

    var jobsWithFiles: Set<JobID> { files.jobs }

    func removeFiles(ofEnded job: Job) {
        switch job.state {
        case .succeeded:
            files.discardSegments(of: job)
            files.discardSource(of: job)
            Directory.removeTree(files.workDirectory(job.id))
        // Records stay: they say why a job has failed. With a full disk or a missing permission mended, it goes on where
        // it was.
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

// MARK: Transcoding

extension WorkerPool {
    private func transcoded(_ job: Job, _ devices: [Stage: DeviceName], _ control: RunControl) throws -> JobResult {
        let place = try files.output(of: job, name: job.workload?.outputName ?? "output.mp4")
        try files.makeDirectory(of: job)
        if let path = job.workload?.outputPath, let other = try outputs.claim(path, for: job.id) {
            throw OutputTaken(by: other)
        }
        let directory = try open(place)
        try checkName(of: job, place, in: directory)
        let input = try source(of: job, control)
        let hidden = "\(directory.path)/\(place.stagingName)"
        let work = try work(of: job, from: input, to: hidden)
        let names = OutputNames(hidden: hidden, shown: shownOutput(of: job, place), name: place.name)
        let finished =
            job.segmentCount > 1
            ? try joined(work, job, names, "\(directory.path)/\(place.segmentsName)", control)
            : try finished(work, job, names, devices, control)
        if job.segment == nil { keepReceipt(of: finished, job, names) }
        if !finished.engineSeconds.isEmpty {
            loop.send(.event(.used(job.id, frames: finished.frames, finished.engineSeconds)))
        }
        let result = try commit(job, place, finished, input, control)
        noteReplacement(by: result, of: job)
        return result
    }

    private func work(of job: Job, from input: String, to output: String) throws -> MediaWork {
        var work = MediaWork(
            input: input, output: output, settings: try settings(of: job),
            workDirectory: try files.makeWorkDirectory(job.id), attempt: job.attempts.last?.number ?? 1,
            avoiding: job.avoiding, takenRecords: try takenRecords(of: job.id))
        if let segment = job.segment { work.segmentedWork = .segment(segment.number, of: segment.count) }
        return work
    }

    private func keepReceipt(of finished: FinishedWork, _ job: Job, _ names: OutputNames) {
        guard let receipt = finished.receipt.map(names.shown) else { return }
        try? records.put(receipt, RecordCollections.receipts, job.id.text)
    }

    func finished(
        _ work: MediaWork, _ job: Job, _ names: OutputNames, _ devices: [Stage: DeviceName], _ control: RunControl
    ) throws -> FinishedWork {
        let known = job.segment?.whole ?? job.id
        let pass = { @Sendable [self] in report(names.shown($0), job.id, known: known) }
        do {
            if let finished = try runner.finished(work, control, pass) { return finished }
            // The output has this name only when it is whole, also where the records of its worker are lost.
            if work.hasOutput, !job.replacesSource {
                return FinishedWork(frames: job.workload?.frames ?? 0, duration: 0, seconds: 0, notices: 0)
            }
            // A source is replaced only if it was whole, and that is lost with the records.
            if job.replacesSource, let output = work.output { Directory.remove(output) }
            return try runner.transcode(work, on: devices, control, pass)
        } catch let failure as Failure { throw names.shown(failure) }
    }

    private func takenRecords(of job: JobID) throws -> [String: Int64] {
        try records.record(RecordCollections.takenRecords, job.text)?.object?.compactMapValues(\.integer) ?? [:]
    }

    func open(_ place: OutputPlace) throws(Failure) -> OpenDirectory {
        try place.makeDirectory()
        do throws(SystemError) { return try place.open() } catch { throw .output(error, place.path) }
    }

    /// - Parameter known: The job as known to users.
    private func report(_ report: RunReport, _ job: JobID, known: JobID) {
        switch report {
        case .progress(let progress): loop.send(.progress(job, progress))
        case .record(let type, let record, let position):
            let now = Timestamp.now
            let whose: [String: JSONValue] = ["job": .string(known.text), "time": .time(now)]
            let body = JSONValue.object((record.object ?? [:]).merging(whose) { $1 })
            let event = LoggedEvent(type, of: known, at: now, body: body.text)
            loop.send(.taken(job, event, position))
        case .taken(let position): loop.send(.taken(job, nil, position))
        }
    }
}
