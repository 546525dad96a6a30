package import VTXJSON
package import VTXJobs

/// A job as the cluster's key-value store has it: everyone changes it by comparing its revision.
package struct ClusterRecord: Sendable, Hashable, Codable {
    package var job: Job
    /// Who works on it; nil while it waits, and after its end.
    package var claim: Claim?
    /// How often it was claimed.
    package var claims = 0
    /// The job's watch folder, which has rules that its worker needs.
    package var folder: JSONValue?

    package init(_ job: Job, folder: JSONValue? = nil) { (self.job, self.folder) = (job, folder) }

    /// A worker's right to a job, as long as the record has it.
    package struct Claim: Sendable, Hashable, Codable {
        package var worker: String
        /// Counts all claims of the job: one that comes back after another has begun is an old one.
        package var number: Int
        /// The work's message, which is delivered again when the worker falls silent.
        package var message: UInt64

        package init(worker: String, number: Int, message: UInt64) {
            (self.worker, self.number, self.message) = (worker, number, message)
        }
    }
}

/// What a worker that was given a job's message does with it.
package enum ClaimAnswer: Sendable, Hashable {
    /// Write this down by comparing the revision; then the job is the worker's.
    case take(ClusterRecord)
    /// The same, and before anything else: see whether the output already has its name.
    case takeCommitting(ClusterRecord)
    /// Write this down, do what it asks for, and acknowledge the message: the job has ended, or waits for a user.
    case settle(ClusterRecord, [JobAction])
    /// Acknowledge it: there is nothing to do.
    case drop
    /// Give it back for this many seconds.
    case later(seconds: Double)
    /// Remove the record and acknowledge the message: it is not wanted any more.
    case forget
}

extension ClusterRecord {
    /// Decides about a message of the work queue. It was delivered because it is new, because it was given back, or
    /// because the worker that had it has not been heard of.
    ///
    /// - Parameters:
    ///   - worker: the one that was given the message.
    ///   - message: its number in the stream.
    package func answer(to worker: String, message: UInt64, at now: Timestamp) -> ClaimAnswer {
        // A second message for the same job does not mean that the first worker is lost.
        if let claim, claim.message != message { return .drop }
        if job.state.isFinal || job.state == .paused { return .drop }
        var taken = claimed(by: worker, message)
        guard let lost = claim else {
            if let time = job.retryAt, time > now, time < now + Job.longestWait { return .later(seconds: time - now) }
            return job.isActive ? taken.recovering(from: nil, at: now) : .take(taken)
        }
        if job.committing != nil { return .takeCommitting(taken) }
        return taken.recovering(from: lost.worker, at: now)
    }

    private func claimed(by worker: String, _ message: UInt64) -> ClusterRecord {
        var record = self
        record.claims += 1
        record.claim = Claim(worker: worker, number: record.claims, message: message)
        return record
    }

    /// After a lost worker, or a commit that was not made: the next attempt, unless the job is parked or to be stopped.
    package mutating func recovering(from worker: String?, at now: Timestamp) -> ClaimAnswer {
        let failure = Failure(
            .worker, "worker.lost", "nothing is heard of the worker '\(worker ?? "")' that had the job",
            hint: "its host or its network is down, or it was killed")
        let actions = job.isActive ? (try? job.handle(.failed(failure), at: now)) ?? [] : []
        guard job.state == .queued else {
            claim = nil
            return .settle(self, actions)
        }
        return .take(self)
    }
}

extension ClusterRecord {
    /// What a worker writes over a record that has changed since it was read; nil where the claim is not its own any more.
    ///
    /// - Parameters:
    ///   - job: as the worker has it.
    ///   - claim: the worker's.
    package func merging(_ job: Job, claim: Claim, at now: Timestamp) -> (record: ClusterRecord, actions: [JobAction])?
    {
        guard self.claim == claim else { return nil }
        var (merged, mine) = (self, job)
        let actions = mine.takeRequests(from: self.job, at: now)
        merged.job = mine
        if !merged.job.isActive { merged.claim = nil }
        return (merged, actions)
    }
}

// MARK: Segments

extension ClusterRecord {
    /// What comes before `answer` for a segment's message; nil for nothing.
    ///
    /// - Parameter whole: the job that joins the segments, as its record has it; nil where it has none.
    package static func answer(ofSegmentOf whole: Job?) -> ClaimAnswer? {
        guard let whole, !whole.state.isFinal else { return .forget }
        return whole.state == .paused ? .later(seconds: 5) : nil
    }

    /// What becomes of a segment's record when the whole job has been claimed, perhaps once more.
    package enum Offering: Sendable, Hashable {
        /// It is done, or a worker has it.
        case leave
        /// Write this down, and offer the job.
        case offer(ClusterRecord)
    }

    /// - Parameters:
    ///   - segment: the job, as it is made.
    ///   - isThere: its file is.
    package func offering(_ segment: Job, isThere: Bool, at now: Timestamp) -> Offering {
        if job.isActive || job.state == .succeeded && isThere { return .leave }
        var record = self
        switch job.state {
        case .queued: break
        case .paused: _ = try? record.job.handle(.resume, at: now)
        // It was done, and its file is lost; or it failed, and the whole is tried again.
        default: record = ClusterRecord(segment)
        }
        record.claims = claims
        return .offer(record)
    }
}
