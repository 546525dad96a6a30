import VTXCluster
import VTXJobs

// Users' requests for the jobs of a cluster.
extension ClusterTurn {
    func command(_ id: JobID, _ event: JobEvent) -> Result<Job, Problem> {
        do {
            guard let stored = try store.job(id) else { return .failure(.notFound("job", id.text)) }
            return .success(try changed(stored, event))
        } catch let error as StoreError {
            return .failure(Problem(error))
        } catch let conflict as JobConflict {
            return .failure(Problem(conflict))
        } catch let error as NATSError {
            // The change may be in the record although its answer was lost.
            pending.append(id)
            return .failure(.unreachable(error))
        } catch {
            return .failure(Problem(500, "internal", "\(error)"))
        }
    }

    /// Reads, decides and writes, and retries if the record has changed meanwhile.
    private func changed(_ stored: Job, _ event: JobEvent) throws -> Job {
        while true {
            guard var (record, revision) = try cluster.record(stored.id) else { return try changedHere(stored, event) }
            let wasWaiting = record.claim == nil && record.job.state == .queued
            let subject = WorkSubject(of: record.job)
            let actions = try record.job.handle(event, at: .now)
            // A worker that has claimed it and not begun finds that the claim is gone.
            if !record.job.isActive, record.job.state != .queued { record.claim = nil }
            guard let written = try cluster.replace(record, revision: revision) else { continue }
            revision = written
            revisions[stored.id] = revision
            let isWaiting = record.claim == nil && record.job.state == .queued
            if isWaiting, !wasWaiting || WorkSubject(of: record.job) != subject { try offerLater(record.job) }
            try? cluster.publishChange(of: stored.id)
            try save(record.job, actions)
            return record.job
        }
    }

    /// Offers a job. If that fails now, it is retried with the jobs that may not be in the cluster yet.
    private func offerLater(_ job: Job) throws {
        do throws(NATSError) { try cluster.offer(job) } catch { pending.append(job.id) }
    }

    /// Changes a job that has not been handed over.
    private func changedHere(_ stored: Job, _ event: JobEvent) throws -> Job {
        var job = stored
        let actions = try job.handle(event, at: .now)
        try save(job, actions)
        if !job.state.isFinal, !pending.contains(job.id) { pending.append(job.id) }
        return job
    }

    private func save(_ job: Job, _ actions: [JobAction]) throws(StoreError) {
        try ledger.save([job], nil)
        note(job)
        // A worker that is to stop hears of it by the record.
        workers.perform(actions, for: job)
    }
}
