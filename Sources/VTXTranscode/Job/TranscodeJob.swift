import VTXFFmpeg
import VTXMedia
package import VTXSession
import VTXSystem
package import VTXTask

/// The whole job: look, plan, transcode under a partial name, check, put in place.
package struct TranscodeJob: Sendable {
    private let request: TranscodeRequest
    private let backends: [any VideoBackend]
    private let drivers: [DriverFailure]
    private let cancellation: Cancellation
    private let report: @Sendable (TranscodeEvent) -> Void
    private let reported = Locked(Set<Notice>())
    private let journals: Locked<TranscodeJournal?>
    private var journal: TranscodeJournal? { journals.withLock { $0 } }

    /// - Parameter drivers: what they did to earlier processes that had this job.
    package init(
        _ request: TranscodeRequest, backends: [any VideoBackend], after drivers: [DriverFailure] = [],
        cancellation: Cancellation, report: @escaping @Sendable (TranscodeEvent) -> Void
    ) {
        self.request = request
        self.backends = backends
        self.drivers = drivers
        self.cancellation = cancellation
        self.report = report
        journals = Locked(request.journal.map { TranscodeJournal($0) })
    }

    /// Blocks until the output is in place, or nothing is left of it.
    ///
    /// A GPU that fails costs time and nothing else: at its start the one stage that it fails at goes to others, after
    /// all ways to encode that the GPU has; later, or where its output fails the check, the job starts again without
    /// that GPU.
    package func run() throws(TranscodeError) -> TranscodeResult {
        var faults = HardwareFailures(drivers: drivers)
        defer { if let journal, journal.isTemporary { journal.remove() } }
        while true {
            let start = ContinuousClock.now
            let prepared = try TranscodePreparation(request, backends: backends, after: faults).prepare()
            // Who looks for the least busy GPU must not count those that were only asked.
            backends.forEach { $0.closeIdleDevices() }
            switch try attempt(prepared, isRetry: faults.hasAttempts, since: start) {
            case .success(let result): return result
            case .failure(.seam(let change)):
                journal?.note(change)
                prepared.stages.recoveries.failures.forEach { faults.note($0) }
            case .failure(.hardware(let fault, let error)):
                try checkRetry(fault, error, after: faults)
                faults.note(fault)
            }
            // Another device may have another codec for its default, and the user has been told of this one.
            if !faults.midStream.isEmpty { faults.codec = prepared.plan.video.codec }
        }
    }

    /// Why there is another attempt.
    private enum FailedAttempt: Error {
        /// A GPU is to blame; and what that is for the user where nothing else may be tried.
        case hardware(HardwareFailure, TranscodeError)
        /// The output's header does not fit all of the video.
        case seam(SeamChange)
    }

    /// - Throws: where the request allows no other attempt. The same GPU may always be used in another way.
    private func checkRetry(
        _ fault: HardwareFailure, _ error: TranscodeError, after faults: HardwareFailures
    ) throws(TranscodeError) {
        if fault.costsModeOnly || faults.isFirstShortage(fault) { return }
        if request.hardware != .auto { throw error }
        if request.forbidsFallbacks { throw .forbiddenFallback(fault.message) }
    }

    private func attempt(
        _ prepared: PreparedTranscode, isRetry: Bool, since start: ContinuousClock.Instant
    ) throws(TranscodeError) -> Result<TranscodeResult, FailedAttempt> {
        // The GPU is not closed before the owner knows the result.
        return try withExtendedLifetime(prepared) { () throws(TranscodeError) in
            if let skipped = try checkExisting(prepared.plan) { return .success(finished(skipped)) }
            report(.planned(prepared.plan))
            report(prepared.plan.notices)
            return try carryOut(prepared, isRetry: isRetry, since: start).map(finished)
        }
    }

    private func finished(_ result: TranscodeResult) -> TranscodeResult {
        report(.finished(result))
        return result
    }

    /// One try at the output, and what is noted meanwhile.
    private struct Attempt {
        let prepared: PreparedTranscode
        let file: AtomicFile
        let ledger: OutputLedger
        let damage = InputErrorReport()
        let limit: SizeLimit?
        var plan: TranscodePlan { prepared.plan }
    }

    /// Nothing is left of the output where this fails, but for a journal that can be gone on from.
    private func carryOut(
        _ prepared: PreparedTranscode, isRetry: Bool, since start: ContinuousClock.Instant
    ) throws(TranscodeError) -> Result<TranscodeResult, FailedAttempt> {
        let plan = prepared.plan
        let file = try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.reserve(
                plan.output, replaces: request.overwrite == .replace, source: request.input)
        }
        let attempt = Attempt(
            prepared: prepared, file: file, ledger: OutputLedger(streams: plan.streams.count { !$0.isDropped }),
            limit: SizeLimit(plan, ratio: request.maxSizeRatio))
        do { try write(attempt, isRetry: isRetry, since: start) } catch {
            return .failure(try failure(of: attempt, error))
        }
        return .success(result(attempt, elapsed: (ContinuousClock.now - start) / .seconds(1)))
    }

    private func write(_ attempt: Attempt, isRetry: Bool, since start: ContinuousClock.Instant) throws {
        let plan = attempt.plan
        checkSpace(plan)
        report(try journal?.open(plan, isRetry: isRetry) ?? [])
        let resume = journal?.resumePoint(plan)
        report([resume?.notice(plan)].compactMap(\.self))
        let progress = ProgressReport(plan, since: start, from: resume, report)
        try transcode(attempt, progress, from: resume)
        progress.send(.verifying, attempt.ledger)
        // What only the whole file could show counts as what the plan knew.
        try Planner.check(attempt.damage.notices, against: request)
        try finish(attempt)
    }

    /// - Throws: what no other attempt can mend.
    private func failure(of attempt: Attempt, _ error: any Error) throws(TranscodeError) -> FailedAttempt {
        attempt.file.discard()
        let explained = explain(error, attempt.plan)
        let kept = journal?.close(after: explained) ?? 0
        if let change = error as? SeamChange { return .seam(change) }
        if let fault = fault(causing: error, attempt) { return .hardware(fault, explained) }
        guard kept > 0, let request = request.journal else { throw explained }
        throw explained.keeping(kept, request.resumeCommand(attempt.plan.output))
    }

    private func checkSpace(_ plan: TranscodePlan) {
        guard let kept = request.journal, let journal, !journal.isTemporary,
            let shortage = DiskSpace().shortage(plan, journal: kept)
        else { return }
        report([shortage.notice])
        if case .journal = shortage { journals.withLock { $0 = nil } }
    }

    /// An output that fails the check is a GPU's fault where one has worked on it.
    private func fault(causing error: any Error, _ attempt: Attempt) -> HardwareFailure? {
        guard cancellation.reason == nil else { return nil }
        let failedCheck = (error as? TranscodeError).flatMap { $0.category == .verification ? "\($0.message)" : nil }
        var fault = error as? HardwareFailure ?? failedCheck.flatMap(attempt.prepared.sessions.failure)
        fault?.isBeforeFirstPacket = !attempt.ledger.hasEncoded
        return fault
    }

    /// What an earlier attempt has told is not told again.
    @Sendable private func report(_ notices: [Notice]) {
        for notice in notices where reported.withLock({ $0.insert(notice).inserted }) { report(.notice(notice)) }
    }

    private func checkExisting(_ plan: TranscodePlan) throws(TranscodeError) -> TranscodeResult? {
        // An earlier run was killed when all was done.
        if AtomicFile.finishCommit(of: plan.output), let journal = request.journal {
            Directory.removeTree(journal.path(for: plan.output))
        }
        let isWanted = try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.isWanted(plan.output, request.overwrite)
        }
        return isWanted ? nil : .skipped(plan.output)
    }

    private func transcode(_ attempt: Attempt, _ progress: ProgressReport, from resume: ResumePoint?) throws {
        let (plan, ledger, damage) = (attempt.plan, attempt.ledger, attempt.damage)
        let muxer = try MuxerSink(plan, path: attempt.file.openedPath, damage: damage)
        let sink: any PacketSink = try journal?.makeSink(over: muxer, plan, ledger, damage) ?? muxer
        let group = ThreadGroup()
        cancellation.onCancel { group.stop(because: CancelledByUser()) }
        let pipeline = TranscodePipeline(attempt.prepared, sink: sink, damage: damage, ledger: ledger, from: resume)
        pipeline.start(in: group)
        let recoveries = attempt.prepared.stages.recoveries
        defer { report(recoveries.takeNotices()) }
        do {
            try group.wait {
                report(recoveries.takeNotices())
                let now = progress.send(ledger.isComplete ? .finishing : .transcoding, ledger)
                let excess = attempt.limit?.excess(written: now.bytes, fraction: now.fraction)
                if let excess { group.stop(because: excess) }
            }
        } catch {
            if journal == nil, cancellation.reason == nil { salvage(muxer, attempt, after: error) }
            throw error
        }
    }

    /// What a GPU has encoded until it failed is not encoded again.
    private func salvage(_ muxer: MuxerSink, _ attempt: Attempt, after error: any Error) {
        guard error is SeamChange || error is HardwareFailure, request.hardware == .auto, !request.forbidsFallbacks,
            let written = muxer.close()
        else { return }
        let video = SalvagedVideo(written, in: attempt.file.openedPath, attempt.plan)
        let made = TranscodeJournal.salvaging(video, attempt.plan, isWhole: error is SeamChange, attempt.damage)
        journals.withLock { $0 = made }
    }

    private func finish(_ attempt: Attempt) throws {
        let file = attempt.file
        let size = FileStatus(file.openedPath)?.byteCount ?? 0
        if let excess = attempt.limit?.excess(written: size, fraction: 1) { throw excess }
        try file.synchronize()
        let verifier = OutputVerifier(plan: attempt.plan, ledger: attempt.ledger, path: file.openedPath)
        try verifier.verify { cancellation.reason != nil }
        if cancellation.reason != nil { throw CancelledByUser() }
        try file.commit { journal?.remove() }
    }

    /// The last step of error handling: everything becomes a `TranscodeError`.
    private func explain(_ error: any Error, _ plan: TranscodePlan) -> TranscodeError {
        if let reason = cancellation.reason {
            return .cancelled(reason, output: plan.output)
        }
        switch error {
        case let error as TranscodeError: return error
        case let error as AtomicFileError: return TranscodeError(error)
        case let error as SystemError: return TranscodeError(.system, "\(error)")
        case let fault as HardwareFailure: return TranscodeError(fault)
        case let error as SessionError:
            return TranscodeError(ErrorKind(error.code), Message(error.message))
        default: return TranscodeError(.internal, "'\(plan.input)': \(error)")
        }
    }

    private func result(_ attempt: Attempt, elapsed: Double) -> TranscodeResult {
        let (plan, ledger, damage) = (attempt.plan, attempt.ledger, attempt.damage)
        let recovered = attempt.prepared.stages.recoveries.notices
        let excess = RateChoice.excess(over: plan.video.encoder.rateControl, peak: ledger.peakBitrate)
        let found = damage.notices + [excess].compactMap(\.self)
        report(found)
        let times = ledger.videoTimes
        let span = MediaTime((times.last ?? 0) - (times.first ?? 0), plan.video.encoder.timeBase).seconds
        return TranscodeResult(
            outcome: damage.isIncomplete ? .incompleteSource : .completed, output: plan.output, frames: times.count,
            seconds: span + plan.video.encoder.frameRate.reciprocal.value,
            bytes: FileStatus(plan.output)?.byteCount ?? 0,
            elapsedSeconds: elapsed, notices: plan.notices + recovered + found)
    }
}

/// What stops the stages when the user ends the job; `explain` says it in words.
private struct CancelledByUser: Error {}
