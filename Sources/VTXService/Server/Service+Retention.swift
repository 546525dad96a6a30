import VTXCluster
import VTXJobs
import VTXStore
import VTXSystem

extension Service {
    /// Starts the removal of old jobs, in a thread that may take its time.
    ///
    /// - Returns: a queue that takes a request for a round.
    func startRetention() throws -> BoundedQueue<Void> {
        let (store, files, cluster) = (store, pool.files, member?.cluster)
        let rounds = BoundedQueue<Void>(capacity: 1)
        try Thread("vtx-retention") {
            if cluster == nil { Self.removeOrphans(store, files) }
            while (try? rounds.pop()) ?? nil != nil { Self.removeOld(store, files, cluster) }
        }.detach()
        return rounds
    }

    /// Removes jobs 30 days after their end, and uploads after a day.
    ///
    /// - Parameter time: The end of the jobs that are kept.
    static func removeOld(
        _ store: SQLiteStore, _ files: JobFiles, _ cluster: Cluster?, before time: Timestamp = .now + -30 * 86400
    ) {
        // Without NATS, the records of a cluster's jobs would stay.
        guard cluster?.isConnected ?? true else { return }
        while let jobs = try? store.removeEnded(before: time, limit: 1000), !jobs.isEmpty {
            for job in jobs {
                files.discard(job)
                files.remove(job.id)
                try? cluster?.remove(job.id)
            }
        }
        do {
            try files.uploads.removeOld(before: .now + -86400, except: try uploadsInUse(store))
        } catch { Log.error("old uploads cannot be removed: \(error)") }
    }

    /// Removes the files of jobs that a killed server had removed from the store.
    static func removeOrphans(_ store: SQLiteStore, _ files: JobFiles) {
        for id in files.jobsWithFiles where ((try? store.job(id)) ?? nil) == nil { files.remove(id) }
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
