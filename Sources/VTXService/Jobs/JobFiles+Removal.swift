import VTXHTTP
import VTXJobs
import VTXSystem
import VTXTask

// Removes files when a job ends or is deleted.
extension JobFiles {
    /// Removes everything of a deleted job.
    func remove(_ job: JobID) {
        let others = [state, shared].compactMap(\.self).flatMap { place in
            ["outputs", "sources"].map { "\(place)/\($0)/\(job.text)" }
        }
        (others + [workDirectory(job), thumbnailDirectory(job)]).forEach { Directory.removeTree($0) }
    }

    /// Removes the files of a job's attempts. The work directory goes last: as long as it exists, the next server removes
    /// what is left.
    func discard(_ job: Job) {
        if let staging = stagingFile(of: job) {
            Directory.remove(staging)
            discardUnfinished(staging)
        } else {
            discardHidden(of: job)
        }
        discardSegments(of: job)
        discardSource(of: job)
        if job.state != .succeeded { discardOutput(of: job) }
        Directory.removeTree(workDirectory(job.id))
    }

    /// Removes the files outside the work directory.
    func discardOutput(of job: Job) {
        Directory.removeTree(ownOutputDirectory(job.id))
        if let path = try? sharedOutput(of: job)?.realPath() { Directory.removeTree(path) }
    }

    /// Removes a fetched source.
    func discardSource(of job: Job) {
        Directory.removeTree("\(workDirectory(job.id))/source")
        if let path = try? sharedSource(of: job)?.realPath() { Directory.removeTree(path) }
    }

    /// Removes what the next attempt would resume from, and keeps the records. An output for a URL stays too: the next
    /// attempt only sends it.
    func discardUnfinished(_ job: Job) {
        discardSource(of: job)
        if let staging = stagingFile(of: job) {
            if job.specification.output?.url == nil { Directory.remove(staging) }
            discardUnfinished(staging)
        }
        discardSegments(of: job)
    }

    /// Removes the segments that other workers have encoded.
    func discardSegments(of job: Job) {
        guard job.segmentCount > 1, let place = place(of: job), let directory = try? place.open() else { return }
        Directory.removeTree("\(directory.path)/\(place.segmentsName)")
    }

    private func discardUnfinished(_ staging: String) {
        Directory.removeTree(JournalRequest().path(for: staging))
        AtomicDirectory.removeLeftoverOfAnyKind(at: AtomicFile.partialPath(for: staging))
    }

    /// Removes what earlier attempts left beside an output whose name a retry has forgotten.
    private func discardHidden(of job: Job) {
        guard !job.attempts.isEmpty, let place = try? output(of: job, name: ""), let directory = try? place.open()
        else { return }
        let path = directory.path
        for name in Directory.names(in: path) where name.hasPrefix(".") && name.contains(".\(job.id.text).vtx") {
            Directory.remove("\(path)/\(name)")
        }
    }

    private func place(of job: Job) -> OutputPlace? {
        guard let place = try? output(of: job, name: job.workload?.outputName ?? ""), !place.name.isEmpty else {
            return nil
        }
        return place
    }

    private func stagingFile(of job: Job) -> String? {
        guard let place = place(of: job), let directory = try? place.open() else { return nil }
        return "\(directory.path)/\(place.stagingName)"
    }
}
