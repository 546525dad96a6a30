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
        _ store: SQLiteStore, _ files: JobFiles, _ cluster: Cluster?, before time: Timestamp = .now + -Job.keptSeconds
    ) {
        removeEnded(store, files, cluster, before: time)
        do {
            try files.uploads.removeOld(before: .now + -86400, except: try uploadsInUse(store))
        } catch { Log.error("old uploads cannot be removed: \(error)") }
    }

    /// Without NATS, the records of a cluster's jobs would stay.
    private static func removeEnded(
        _ store: SQLiteStore, _ files: JobFiles, _ cluster: Cluster?, before time: Timestamp
    ) {
        while cluster?.isConnected ?? true {
            guard let jobs = try? store.removeEnded(before: time, limit: 100), !jobs.isEmpty else { return }
            for job in jobs {
                files.discard(job)
                files.remove(job.id)
                do throws(NATSError) { try cluster?.remove(job.id) } catch {
                    Log.error("the record of job \(job.id) cannot be removed: \(error)")
                }
            }
        }
    }

    /// Removes the files of jobs that a killed server had removed from the store.
    static func removeOrphans(_ store: SQLiteStore, _ files: JobFiles) {
        do throws(StoreError) {
            for id in files.jobsWithFiles where try store.job(id) == nil { files.remove(id) }
        } catch { Log.error("files of removed jobs stay: \(error)") }
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
