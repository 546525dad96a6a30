import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

// The work of a job: the name that its output may have, the worker, and the commit.
extension WorkerPool {
    func transcoded(_ job: Job, _ devices: [Stage: DeviceName], _ control: RunControl) throws -> JobResult {
        let place = try files.output(of: job, name: job.workload?.outputName ?? "output.mp4")
        try files.makeDirectory(of: job)
        if let path = job.workload?.outputPath,
            let other = try waiting(control, { try outputs.claim(path, for: job.id) })
        {
            throw OutputTaken(by: other)
        }
        let directory = try open(place)
        try checkName(of: job, place, in: directory, control)
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
