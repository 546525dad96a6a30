import Glibc
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

// Gives a finished output its name.
extension WorkerPool {
    /// Renames the output. This is stored first, so that the next server knows about it if this one is killed here.
    func commit(
        _ job: Job, _ place: OutputPlace, _ finished: FinishedWork, _ input: String, _ control: RunControl
    ) throws -> JobResult {
        // Opened again: the path still has to lead there.
        let directory = try open(place)
        let staged = try staged(place, in: directory)
        let result = result(of: finished, staged, job, place, input)
        if let reason = try rule(of: job)?.reason(outputBytes: result.outputBytes, sourceBytes: result.sourceBytes) {
            throw Skip(reason: reason)
        }
        if job.segment == nil {
            drawOutput(of: job.id, "\(directory.path)/\(place.stagingName)" + (staged.video.map { "/\($0)" } ?? ""))
            if job.replacesSource {
                try replacedSource(of: job, place, in: directory)
                    .finish(isIncomplete: finished.outcome != .completed, in: directory)
            }
        }
        let answer = Answer<Bool>()
        let announce = job.segment == nil ? announcement(of: job, place, staged.status, in: directory) : nil
        loop.send(.commit(job.id, result, staged.status.identity, announce, answer))
        guard answer.wait(seconds: .infinity, unless: { loop.current.hasStopped }) == true else { throw Stopped() }
        try publish(job, place, in: directory, control)
        return result
    }

    private func staged(_ place: OutputPlace, in directory: borrowing OpenDirectory) throws(Failure) -> StagedOutput {
        guard let staged = place.staged(in: directory) else {
            throw Failure(.worker, "output.missing", "the worker left no output")
        }
        return staged
    }

    private func result(
        of finished: FinishedWork, _ staged: StagedOutput, _ job: Job, _ place: OutputPlace, _ input: String
    ) -> JobResult {
        var result = JobResult(
            output: shownOutput(of: job, place), outputBytes: staged.byteCount,
            sourceBytes: FileStatus(input)?.byteCount ?? 0, frames: finished.frames,
            duration: finished.duration, seconds: finished.seconds, notices: finished.notices,
            outcome: finished.outcome, files: staged.files)
        result.replacedSource = job.replacedSource
        return result
    }

    /// Returns what registers the output before it has its name, which may be in a watch folder.
    private func announcement(
        of job: Job, _ place: OutputPlace, _ file: FileStatus, in directory: borrowing OpenDirectory
    ) -> OutputAnnouncement {
        let (watched, path, there) = (watched, "\(directory.path)/\(place.name)", directory.status(place.name))
        return { () throws(StoreError) in try watched.addOutput(path, file, after: there, of: job) }
    }

    private var watched: WatchedFiles { WatchedFiles(records: records, outputs: outputs) }

    /// Checks whether the output may have its name.
    ///
    /// - Throws: `Skip`, or `Failure`.
    func checkName(
        of job: Job, _ place: OutputPlace, in directory: borrowing OpenDirectory, _ control: RunControl
    ) throws {
        if job.replacesSource {
            return try replacedSource(of: job, place, in: directory).tryAttributes(in: directory)
        }
        let policy = try policy(job, place, in: directory, control)
        let isWanted: Bool
        do throws(AtomicFileError) {
            isWanted = try place.isWanted(policy, source: job.specification.input.path, in: directory)
        } catch { throw Failure.output(error, place) }
        if !isWanted { throw Skip(reason: "'\(place.path)' exists") }
    }

    /// Returns the job's policy. Of a watch folder, the earlier output of the same source is replaced.
    private func policy(
        _ job: Job, _ place: OutputPlace, in directory: borrowing OpenDirectory, _ control: RunControl?
    ) throws -> OverwritePolicy {
        let policy = OverwritePolicy(job.specification.settings)
        guard policy == .skip, let there = directory.status(place.name) else { return policy }
        let path = "\(directory.path)/\(place.name)"
        let isEarlier = try waiting(control) { try watched.isEarlierOutput(path, there, of: job) }
        return isEarlier ? .replace : .skip
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
                try name(job, place, in: directory, control)
            }
        } catch let error as SystemError { throw Failure.output(error, place.path) }
    }

    private func name(
        _ job: Job, _ place: OutputPlace, in directory: borrowing OpenDirectory, _ control: RunControl? = nil
    ) throws {
        if job.replacesSource { return try replacedSource(of: job, place, in: directory).commit(in: directory) }
        let policy: OverwritePolicy?
        do { policy = try self.policy(job, place, in: directory, control) } catch let error as StoreError {
            Log.error("\(error); an existing file is kept")
            policy = nil
        }
        do throws(SystemError) { try place.publish(in: directory, replaces: policy == .replace) } catch {
            // Another program has taken the name during the work.
            if policy == .skip, error.isExisting { throw Skip(reason: "'\(place.path)' exists") }
            throw error
        }
    }

    /// Completes the rename of an output that a killed server had begun, and returns the result.
    func completeCommit(_ job: Job) -> JobResult? {
        let result = completedCommit(job)
        if let result { noteReplacement(by: result, of: job) }
        return result
    }

    private func completedCommit(_ job: Job) -> JobResult? {
        // Whether a server has taken an output only that server knows: it is sent again.
        guard let committing = job.committing, job.specification.output?.url == nil,
            let place = try? files.output(of: job, name: job.workload?.outputName ?? "output.mp4"),
            let directory = try? place.open()
        else { return nil }
        if directory.status(place.name)?.identity.isSameFile(as: committing.file) == true {
            place.removeReplaced(in: directory)
            return finishReplacement(committing.result, of: job, place, in: directory)
        }
        place.restoreStaged(committing.file, in: directory)
        guard directory.status(place.stagingName)?.identity.isSameFile(as: committing.file) == true else {
            return nil
        }
        return (try? name(job, place, in: directory)).map { committing.result }
    }
}
