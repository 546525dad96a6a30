import VTXHTTP
import VTXJSON
import VTXJobs
import VTXMedia
import VTXSystem
import VTXTask

// A source that the output of its job replaces.
extension WorkerPool {
    /// Returns the source as it was before anything of it was read; nil if the job does not replace it. Each attempt is
    /// planned, and all of them are about the same file.
    func replacedFile(of job: Job, at path: String) throws -> Workload.ReplacedFile? {
        guard job.replacesSource else { return nil }
        try checkPermission(of: job)
        if let earlier = job.workload?.replacedSource {
            guard earlier.state.isUnchanged(at: path) else { throw Failure.changed(path) }
            return earlier
        }
        // Before a user's retry, a worker may have read another file. Its output must not count.
        runner.endOfLeftWorker(in: files.workDirectory(job.id))?()
        do throws(SystemError) { return Workload.ReplacedFile(path: path, state: try SourceState(of: path)) } catch {
            throw Failure(.source, ErrorKind.inputUnreadable.rawValue, "'\(path)' cannot be read: \(error.reason)")
        }
    }

    /// Removes what an attempt has left before a user's retry: its source may have been another.
    func removeStaged(of job: Job, _ workload: Workload) {
        guard job.workload == nil, let source = workload.replacedSource, let name = workload.outputName,
            let place = try? files.roots.place(source.path).parent.directory,
            let directory = try? OutputPlace(.below(place), name: name, of: job).open()
        else { return }
        directory.remove(OutputPlace(.below(place), name: name, of: job).stagingName)
    }

    /// - Throws: `Failure` if the source may or can not be replaced; `Skip` if its watch folder leaves it alone.
    func replacedSource(
        of job: Job, _ place: OutputPlace, in directory: borrowing OpenDirectory, isInPlace: Bool = false
    ) throws -> ReplacedSource {
        try checkPermission(of: job)
        do { return try ReplacedSource(of: job, place, in: directory, isInPlace: isInPlace) } catch {
            // For a watch folder, a file of another program is no error.
            guard job.watchFolder != nil, error.code == ErrorKind.outputExists.rawValue else { throw error }
            throw Skip(reason: "'\(place.path)' exists")
        }
    }

    /// Removes the source after its output got its name, if the server was killed in between.
    ///
    /// - Returns: the result; without the source if that stays, because this server may not or cannot remove it.
    func finishReplacement(
        _ result: JobResult, of job: Job, _ place: OutputPlace, in directory: borrowing OpenDirectory
    ) -> JobResult {
        guard job.replacesSource, let planned = job.workload?.replacedSource,
            case let name = FileName.directory(of: planned.path).name,
            // A missing source has been replaced; a file put in its place since is left alone.
            planned.state.isUnchanged(at: "\(directory.openedPath)/\(name)")
        else { return result }
        if (try? replacedSource(of: job, place, in: directory, isInPlace: true).remove()) != nil { return result }
        var result = result
        result.replacedSource = nil
        return result
    }

    /// Adds the source to the receipt when the output has taken its place.
    func noteReplacement(by result: JobResult, of job: Job) {
        guard let source = result.replacedSource,
            var receipt = (try? records.record(RecordCollections.receipts, job.id.text))?.object
        else { return }
        receipt["replacedSource"] = .string(source)
        try? records.put(.object(receipt), RecordCollections.receipts, job.id.text)
    }

    /// The job may be older than the options of this server.
    private func checkPermission(of job: Job) throws(Failure) {
        do throws(Problem) { try files.checkReplacement(job.specification) } catch {
            throw Failure(.request, error.code, error.detail, hint: error.hint)
        }
    }
}
