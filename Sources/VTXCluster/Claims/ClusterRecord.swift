package import VTXJSON
package import VTXJobs

/// A job in the cluster's key-value store. All hosts update it by compare-and-swap on its revision.
package struct ClusterRecord: Sendable, Hashable, Codable {
    package var job: Job
    /// The claim of the worker that runs the job; nil while it waits, and after its end.
    package var claim: Claim?
    /// The number of claims so far.
    package var claims = 0
    /// The job's watch folder, if the job does not have what it skips itself: an earlier version submitted it.
    package var folder: JSONValue?

    package init(_ job: Job, folder: JSONValue? = nil) { (self.job, self.folder) = (job, folder) }

    /// A worker's right to a job, valid as long as it is in the record.
    package struct Claim: Sendable, Hashable, Codable {
        package var worker: String
        /// The number of the claim among all of the job: a worker that returns after another has started holds an
        /// outdated one.
        package var number: Int
        /// The work queue's message, which is redelivered if the worker falls silent.
        package var message: UInt64

        package init(worker: String, number: Int, message: UInt64) {
            (self.worker, self.number, self.message) = (worker, number, message)
        }
    }
}

/// What a worker does with a job's message.
package enum ClaimAnswer: Sendable, Hashable {
    /// Store this by compare-and-swap; then the job is the worker's.
    case take(ClusterRecord)
    /// The same, but first check whether the output already has its final name.
    case takeCommitting(ClusterRecord)
    /// Store this, perform the actions, and acknowledge the message: the job has ended, or waits for a user.
    case settle(ClusterRecord, [JobAction])
    /// Acknowledge the message: there is nothing to do.
    case drop
    /// Return the message for this many seconds.
    case later(seconds: Double)
    /// Remove the record and acknowledge the message: the job is no longer wanted.
    case forget
}

extension ClusterRecord {
    /// Decides about a message of the work queue. It was delivered because it is new, because it was returned, or
    /// because its worker fell silent.
    ///
    /// - Parameters:
    ///   - worker: The worker that received the message.
    ///   - message: Its number in the stream.
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

    /// Starts the next attempt after a lost worker or an incomplete commit, unless the job is parked or being stopped.
    package mutating func recovering(from worker: String?, at now: Timestamp) -> ClaimAnswer {
        let failure = Failure(
            .worker, "worker.lost", "the worker '\(worker ?? "")' that ran the job does not respond",
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
    /// Merges a worker's job into a record that has changed since it was read; nil if the claim is no longer the
    /// worker's.
    ///
    /// - Parameters:
    ///   - job: The worker's version of the job.
    ///   - claim: The worker's claim.
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
    /// Returns what takes precedence over `answer` for a segment's message; nil for nothing.
    ///
    /// - Parameter whole: The job that joins the segments, from its record; nil if it has none.
    package static func answer(ofSegmentOf whole: Job?) -> ClaimAnswer? {
        guard let whole, !whole.state.isFinal else { return .forget }
        return whole.state == .paused ? .later(seconds: 5) : nil
    }

    /// What happens to a segment's record when the whole job is claimed, possibly again.
    package enum Offering: Sendable, Hashable {
        /// Nothing: it is done, or a worker has it.
        case leave
        /// Store this, and offer the job.
        case offer(ClusterRecord)
    }

    /// - Parameters:
    ///   - segment: The job as created.
    ///   - isThere: Whether its file exists.
    package func offering(_ segment: Job, isThere: Bool, at now: Timestamp) -> Offering {
        if job.isActive || job.state == .succeeded && isThere { return .leave }
        var record = self
        switch job.state {
        case .queued: break
        case .paused: _ = try? record.job.handle(.resume, at: now)
        // It was done but its file is lost, or it failed and the whole job is retried.
        default: record = ClusterRecord(segment)
        }
        record.claims = claims
        return .offer(record)
    }
}
