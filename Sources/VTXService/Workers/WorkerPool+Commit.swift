import Glibc
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

// What a worker has made, under its own name.
extension WorkerPool {
    /// Renames the output. This is stored first, so that the next server knows about it if this one is killed here.
    func commit(
        _ job: Job, _ place: OutputPlace, _ finished: FinishedWork, _ input: String, _ control: RunControl
    ) throws -> JobResult {
        // Opened again: the path still has to lead there.
        let directory = try open(place)
        guard let file = directory.status(place.stagingName), file.kind == .regular else {
            throw Failure(.worker, "output.missing", "the worker left no output")
        }
        let result = JobResult(
            output: shownOutput(of: job, place), outputBytes: file.byteCount,
            sourceBytes: FileStatus(input)?.byteCount ?? 0, frames: finished.frames,
            duration: finished.duration, seconds: finished.seconds, notices: finished.notices)
        if let reason = try rule(of: job)?.reason(outputBytes: result.outputBytes, sourceBytes: result.sourceBytes) {
            throw Skip(reason: reason)
        }
        if job.segment == nil { try announce(file, job, place, in: directory) }
        let answer = Answer<Bool>()
        loop.send(.commit(job.id, result, file.identity, answer))
        guard answer.wait() == true else { throw Stopped() }
        try publish(job, place, in: directory, control)
        return result
    }

    /// Registers the output before it has its name, which may be in a watch folder.
    private func announce(
        _ file: FileStatus, _ job: Job, _ place: OutputPlace, in directory: borrowing OpenDirectory
    ) throws {
        drawOutput(of: job.id, "\(directory.path)/\(place.stagingName)")
        try WatchedFiles(records: records).addOutput(
            "\(directory.path)/\(place.name)", file, after: directory.status(place.name), of: job)
    }

    /// Returns the location of the output as shown to clients.
    func shownOutput(of job: Job, _ place: OutputPlace) -> String {
        job.specification.output?.url.map(URLText.withoutSecrets) ?? place.path
    }

    /// Publishes the output as requested: under its name, or at a URL.
    private func publish(
        _ job: Job, _ place: OutputPlace, in directory: borrowing OpenDirectory, _ control: RunControl
    ) throws {
        do {
            if let url = job.specification.output?.url {
                try transfer.put(SharedFile(try directory.open(place.stagingName, O_RDONLY)), to: url, control)
                files.discardOutput(of: job)
            } else {
                try name(job, place, in: directory)
            }
        } catch let error as SystemError { throw Failure.output(error, place.path) }
    }

    private func name(_ job: Job, _ place: OutputPlace, in directory: borrowing OpenDirectory) throws(SystemError) {
        // Where the store does not answer, what is there stays.
        let replaces = (try? replaces(job, place, in: directory)) ?? false
        try directory.rename(place.stagingName, to: place.name, replaces: replaces)
        directory.synchronize()
    }

    func completeCommit(_ job: Job) -> JobResult? {
        // Whether a server has taken an output only that server knows: it is sent again.
        guard let committing = job.committing, job.specification.output?.url == nil,
            let place = try? files.output(of: job, name: job.workload?.outputName ?? "output.mp4"),
            let directory = try? place.open()
        else { return nil }
        if directory.status(place.name)?.identity.isSameFile(as: committing.file) == true { return committing.result }
        guard directory.status(place.stagingName)?.identity.isSameFile(as: committing.file) == true else {
            return nil
        }
        return (try? name(job, place, in: directory)).map { committing.result }
    }
}
