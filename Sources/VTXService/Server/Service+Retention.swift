import VTXCluster
import VTXJobs
import VTXStore
import VTXSystem

extension Service {
    /// Removes jobs 30 days after their end, and uploads after a day.
    ///
    /// - Parameter time: The end of the jobs that are kept.
    static func removeOld(
        _ store: SQLiteStore, _ files: JobFiles, _ cluster: Cluster?, before time: Timestamp = .now + -30 * 86400
    ) {
        for job in (try? store.removeEnded(before: time, limit: 1000)) ?? [] {
            files.discard(job)
            files.remove(job.id)
            try? cluster?.remove(job.id)
        }
        do {
            try files.uploads.removeOld(before: .now + -86400, except: try uploadsInUse(store))
        } catch { Log.error("old uploads cannot be removed: \(error)") }
    }

    private static func uploadsInUse(_ store: SQLiteStore) throws -> Set<String> {
        var (used, query) = (Set<String>(), JobQuery(states: JobState.unfinished, limit: 500))
        repeat {
            let page = try store.list(query)
            used.formUnion(page.jobs.compactMap(\.specification.input.upload))
            query.cursor = page.cursor
        } while query.cursor != nil
        return used
    }
}
