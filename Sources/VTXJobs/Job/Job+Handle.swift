extension Job {
    /// - Throws: if the state does not allow a user's request. Reports of workers are never rejected: late ones have no
    ///   effect.
    package mutating func handle(_ event: JobEvent, at now: Timestamp) throws(JobConflict) -> [JobAction] {
        switch event {
        case .cancel, .pause, .resume, .retry, .prioritize: try command(event, at: now)
        case .plan(let worker): begin(.planning, worker, [:], at: now)
        case .start(let worker, let devices): start(worker, devices, at: now)
        case .waitsFor(let other): wait(for: other)
        case .makeRoom(let reason): stop(reason)
        case .unplaceable(let failure): isActive ? fail(failure, at: now) : end(.failed, failure, at: now)
        case .adopt: adopt(at: now)
        case .planned, .outputTaken, .skip, .progress, .verifying, .committing, .finished, .failed, .segmentFailed,
            .stopped:
            fromWorker(event, at: now)
        }
    }

    package var isActive: Bool { state.isActive }

    /// Whether an earlier attempt may have left the beginning of its output. One that waits for another job's output
    /// has begun none.
    package var hasBegun: Bool { state == .queued && !attempts.isEmpty && waitsFor == nil }
}

// MARK: Users

extension Job {
    private mutating func command(_ event: JobEvent, at now: Timestamp) throws(JobConflict) -> [JobAction] {
        switch event {
        case .cancel:
            try require("cancelled", [.queued, .planning, .waiting, .running, .verifying, .paused])
            return isActive ? stop(.cancel) : end(.cancelled, at: now)
        case .pause:
            try require("paused", [.queued, .planning, .waiting, .running])
            if isActive { return stop(.pause) }
            state = .paused
            return attempts.isEmpty ? [] : [.endLeftWorker]
        case .resume where isActive && stopping == .pause:
            // Its worker is already stopping; the job continues after that.
            stopping = .preempt
        case .resume:
            try require("resumed", [.paused])
            queue()
        case .retry:
            try require("retried", [.failed, .cancelled, .skipped])
            beginAgain()
        case .prioritize(let priority):
            let allowed = JobState.allCases.filter { !$0.isFinal }
            guard !state.isFinal else { throw JobConflict(state: state, event: "prioritized", allowed: allowed) }
            specification.priority = priority
        default: break
        }
        return []
    }

    private func require(_ event: String, _ allowed: [JobState]) throws(JobConflict) {
        // A worker that was asked to cancel cannot be paused.
        guard allowed.contains(state), stopping != .cancel || event == "cancelled" else {
            throw JobConflict(state: state, event: event, allowed: allowed)
        }
    }

    private mutating func beginAgain() {
        ignoresRules = ignoresRules || state == .skipped
        (failure, reason, result, endedAt, workload) = (nil, nil, nil, nil, nil)
        (avoiding, setbacks, furthestFrame) = ([], [:], 0)
        queue()
    }

    private mutating func stop(_ reason: StopReason) -> [JobAction] {
        guard isActive, reason.overrides(stopping) else { return [] }
        stopping = reason
        return [.stopWorker(reason)]
    }
}

// MARK: The dispatcher

extension Job {
    private mutating func begin(
        _ state: JobState, _ worker: String, _ devices: [Stage: DeviceName], at now: Timestamp
    ) -> [JobAction] {
        self.state = state
        (stopping, retryAt, waitsFor) = (nil, nil, nil)
        startedAt = startedAt ?? now
        attempts.append(
            Attempt(number: (attempts.last?.number ?? 0) + 1, worker: worker, devices: devices, startedAt: now))
        if attempts.count > Self.keptAttempts { attempts.remove(at: 1) }
        return []
    }

    /// The number of attempts kept: the first and the most recent ones, so that a job on an unstable network does not
    /// grow without limit.
    private static var keptAttempts: Int { 32 }

    /// Starts an attempt, or continues it after planning.
    private mutating func start(_ worker: String, _ devices: [Stage: DeviceName], at now: Timestamp) -> [JobAction] {
        guard state == .waiting, !attempts.isEmpty else { return begin(.running, worker, devices, at: now) }
        (state, waitsFor) = (.running, nil)
        attempts[attempts.count - 1].worker = worker
        attempts[attempts.count - 1].devices = devices
        return []
    }

    private mutating func wait(for other: JobID?) -> [JobAction] {
        if state == .waiting { waitsFor = other }
        return []
    }

    private mutating func adopt(at now: Timestamp) -> [JobAction] {
        guard isActive else { return [] }
        let hasRun = state != .planning && state != .waiting
        if hasRun { closeAttempt(.interrupted, at: now) } else { _ = attempts.popLast() }
        committing = nil
        let isToPause = stopping == .pause
        return leave(at: now) + (isToPause ? [.endLeftWorker] : [])
    }
}

// MARK: The worker

extension Job {
    private mutating func fromWorker(_ event: JobEvent, at now: Timestamp) -> [JobAction] {
        guard isActive else { return [] }
        switch event {
        case .planned(let workload) where state == .planning: (self.workload, state) = (workload, .waiting)
        case .progress(let frames): progress(frames)
        case .verifying: state = .verifying
        case .committing(let result, let file):
            (state, committing) = (.verifying, Committing(result: result, file: file))
        case .skip(let reason):
            self.reason = reason
            closeAttempt(.succeeded, at: now)
            return end(.skipped, at: now)
        case .finished(let result):
            (self.result, committing) = (result, nil)
            closeAttempt(.succeeded, at: now)
            return end(.succeeded, at: now)
        case .outputTaken(let other): return waitInQueue(for: other, at: now)
        case .failed(let failure): return fail(failure, at: now)
        case .segmentFailed(let failure): return fail(failure, isFinal: true, at: now)
        case .stopped:
            // A job that waits may have a worker of an earlier server.
            let mayHaveWorker = state == .waiting && stopping == .pause
            closeAttempt(.stopped, at: now)
            return leave(at: now) + (mayHaveWorker ? [.endLeftWorker] : [])
        default: break
        }
        return []
    }

    /// Records progress beyond all previous attempts. A job that always crashes its worker at the same frame makes no
    /// progress.
    private mutating func progress(_ frames: Int) {
        guard frames > furthestFrame else { return }
        if furthestFrame > 0 { setbacks = [:] }
        furthestFrame = frames
    }

    private mutating func fail(_ failure: Failure, isFinal: Bool = false, at now: Timestamp) -> [JobAction] {
        closeAttempt(.failed, failure, at: now)
        committing = nil
        // A job that is being stopped is not retried.
        if stopping == .cancel || stopping == .pause { return leave(at: now) }
        if isFinal { return end(.failed, failure, at: now) }
        setbacks[failure.category, default: 0] += 1
        switch RetryPolicy.decision(failure, setbacks: setbacks[failure.category, default: 0], id) {
        case .final: return end(.failed, failure, at: now)
        case .park: return end(.failed, poison(failure), at: now)
        case .retry(let seconds):
            if failure.category == .device, let device = failure.device, !avoiding.contains(device) {
                avoiding.append(device)
            }
            queue()
            retryAt = seconds > 0 ? now + seconds : nil
            return []
        }
    }

    /// Returns to the queue until a job on another host has written the same output. That is no attempt: nothing was
    /// begun.
    private mutating func waitInQueue(for other: JobID, at now: Timestamp) -> [JobAction] {
        attempts.removeLast()
        if stopping == .cancel || stopping == .pause { return leave(at: now) }
        queue()
        (waitsFor, retryAt) = (other, now + Self.outputWait)
        return []
    }

    /// The seconds after which a job asks again whether another host still writes the same output.
    package static let outputWait = 5.0

    /// Changes to the state that follows when the worker has left the job.
    private mutating func leave(at now: Timestamp) -> [JobAction] {
        switch stopping {
        case .cancel: return end(.cancelled, at: now)
        case .pause:
            queue()
            state = .paused
        case .drain, .preempt, nil: queue()
        }
        return []
    }

    private mutating func queue() {
        state = .queued
        (stopping, retryAt, waitsFor) = (nil, nil, nil)
    }

    private mutating func end(_ state: JobState, _ failure: Failure? = nil, at now: Timestamp) -> [JobAction] {
        self.state = state
        self.failure = failure
        (stopping, retryAt, waitsFor) = (nil, nil, nil)
        endedAt = now
        return [.ended]
    }

    private mutating func closeAttempt(_ outcome: Attempt.Outcome, _ failure: Failure? = nil, at now: Timestamp) {
        guard !attempts.isEmpty else { return }
        attempts[attempts.count - 1].outcome = outcome
        attempts[attempts.count - 1].failure = failure
        attempts[attempts.count - 1].endedAt = now
    }

    private func poison(_ failure: Failure) -> Failure {
        Failure(
            .worker, "job.poison",
            "\(setbacks[.worker] ?? 0) attempts in a row failed without progress: \(failure.message)",
            hint: "the attempts have the last output of each; retry runs the job again", evidence: failure.evidence)
    }
}

extension Job {
    /// Applies requests of users that another host has stored in the meantime.
    ///
    /// - Parameter stored: The stored job, at the same attempt or an earlier one.
    /// - Returns: the resulting actions.
    package mutating func takeRequests(from stored: Job, at now: Timestamp) -> [JobAction] {
        specification.priority = stored.specification.priority
        guard let reason = stored.stopping, [.cancel, .pause].contains(reason), stopping != .cancel else {
            return []
        }
        if isActive {
            stopping = reason
            return []
        }
        // The worker left the job at the same moment, as if the request came now.
        return (try? handle(reason == .cancel ? .cancel : .pause, at: now)) ?? []
    }
}
