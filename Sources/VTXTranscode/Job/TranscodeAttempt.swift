import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// An attempt at the output, and its records.
struct TranscodeAttempt {
    private let job: TranscodeJob
    private let prepared: PreparedTranscode
    private let output: any AttemptOutput
    private let ledger: OutputLedger
    private let damage = InputErrorReport()
    private let limit: SizeLimit?

    private var plan: TranscodePlan { prepared.plan }
    private var journal: TranscodeJournal? { job.journal }

    init(_ prepared: PreparedTranscode, of job: TranscodeJob) throws(TranscodeError) {
        (self.prepared, self.job) = (prepared, job)
        let plan = prepared.plan
        output = try job.makeOutput(plan)
        ledger = OutputLedger(streams: plan.streamCount)
        limit = SizeLimit(plan, ratio: job.request.maxSizeRatio)
    }

    /// Runs the attempt. If it fails, only a journal to resume from remains of the output.
    ///
    /// - Throws: errors that no other attempt can fix.
    func run(
        isRetry: Bool, since start: ContinuousClock.Instant
    ) throws(TranscodeError) -> Result<TranscodeResult, FailedAttempt> {
        do { try write(isRetry: isRetry, since: start) } catch { return .failure(try failure(error)) }
        return .success(result(elapsed: (ContinuousClock.now - start) / .seconds(1)))
    }

    // MARK: The output

    private func write(isRetry: Bool, since start: ContinuousClock.Instant) throws {
        try output.begin()
        dropJournalWithoutSpace()
        job.report(try journal?.open(plan, isRetry: isRetry) ?? [])
        let resume = journal?.resumePoint(plan)
        job.report([resume?.notice(plan)].compactMap(\.self))
        let progress = ProgressReport(plan, since: start, from: resume, job.report)
        try transcode(progress, from: resume)
        progress.send(.verifying, ledger)
        // Findings of the whole file are checked against the request like those of the plan.
        try Planner.check(damage.notices, against: job.request)
        try finish()
    }

    /// The journal that the user requested, if any.
    private var keptJournal: JournalRequest? { journal?.isTemporary == false ? job.request.journal : nil }

    private func dropJournalWithoutSpace() {
        guard let keptJournal, let shortage = DiskSpace().shortage(plan, journal: keptJournal) else { return }
        job.report([shortage.notice])
        if case .journal = shortage { job.journal = nil }
    }

    private func transcode(_ progress: ProgressReport, from resume: ResumePoint?) throws {
        let group = try startPipeline(from: resume)
        var space = SpaceWarning()
        let recoveries = prepared.encoding?.stages.recoveries
        noteDevices()
        func reportReplacements() {
            guard let notices = recoveries?.takeNotices(), !notices.isEmpty else { return }
            job.report(notices)
            noteDevices()
        }
        defer { reportReplacements() }
        do {
            try group.wait {
                reportReplacements()
                progress.send(ledger.isComplete ? .finishing : .transcoding, ledger)
                let projection = SizeProjection(ledger, plan)
                if let excess = limit?.excess(written: ledger.bytes, projection) { group.stop(because: excess) }
                // A resumed run first writes frames that are already in its journal.
                if let projection, ledger.hasEncoded, !plan.writesPipe {
                    job.report(space.take(projection, plan, keptJournal))
                }
            }
        } catch {
            if job.cancellation.reason == nil { output.salvage(prepared, after: error, damage) }
            throw error
        }
    }

    private func startPipeline(from resume: ResumePoint?) throws -> ThreadGroup {
        let sink = try output.makeSink(ledger, damage)
        let group = ThreadGroup()
        job.cancellation.onCancel { [weak group] in group?.stop(because: CancelledByUser()) }
        group.onStop { [output] in output.stop() }
        let pipeline = TranscodePipeline(
            prepared, sink: sink, damage: damage, ledger: ledger, lower: output.lowerLedgers, from: resume,
            as: job.request.segmentedWork)
        pipeline.start(in: group)
        return group
    }

    private func finish() throws {
        let size = output.byteCount
        if let excess = limit?.excess(written: size) { throw excess }
        try checkTargetSize(size)
        try checkAverage()
        try output.check(ledger) { job.cancellation.reason != nil }
        try job.checkCancellation()
        try output.commit(damage)
    }

    /// Checks the size of the output if a target size was requested.
    private func checkTargetSize(_ written: Int64) throws {
        let verdict = job.sizeSearch.withLock { $0?.note(Int(written)) }
        switch verdict {
        case .tries(let bitrate): throw SizeMissed(bitrate: bitrate)
        case .tooLarge: throw TranscodeError.tooLarge(plan.output, written, wanted: job.request.targetSize)
        case .accepted, nil: break
        }
    }

    /// Checks the average bit rate of the second of two passes. What is written to a pipe cannot be corrected.
    private func checkAverage() throws {
        guard !plan.writesPipe, let average = rates.average,
            let next = job.rateCorrection.withLock({ $0?.note(average) })
        else { return }
        throw SizeMissed(bitrate: next)
    }

    private var rates: WrittenRates {
        let encoder = plan.video.encoding?.encoder.rateControl
        // A corrected rate is what the encoder is told, not what the output is to have.
        let isCorrected = job.request.usesTwoPasses || job.request.targetSize != nil
        let requested = isCorrected ? job.request.rateControl : encoder
        return WrittenRates(plan: plan, ledger: ledger, requested: requested)
    }

    private func result(elapsed: Double) -> TranscodeResult {
        let recovered = prepared.encoding?.stages.recoveries.notices ?? []
        let rates = rates
        let target = damage.isIncomplete ? nil : job.request.targetSize
        let unused = target.flatMap { WrittenRates.unusedNotice($0, plan.output, output.byteCount) }
        let found = damage.notices + rates.notices + [unused].compactMap(\.self)
        job.report(found)
        var result = TranscodeResult(
            outcome: damage.isIncomplete ? .incompleteSource : .completed, output: plan.output,
            frames: ledger.videoTimes.count,
            seconds: rates.seconds, bytes: output.byteCount,
            elapsedSeconds: elapsed, notices: plan.notices + recovered + found)
        (result.pipedSource, result.pipedOutput) = (prepared.source.piped?.bytes, output.piped)
        result.bitRates = ledger.bitRates
        // The values below describe only the first rendition.
        guard plan.ladder == nil else { return result }
        result.verification = verification
        result.stageDevices = prepared.encoding.map { journal?.stageDevices ?? $0.stageDevices }
        return result
    }

    private func noteDevices() {
        if let devices = prepared.encoding?.stageDevices { journal?.note(devices) }
    }

    private var verification: VerificationReport? {
        var report = ledger.verification
        report?.framesEncodedAgain = job.rejectedFrames.withLock(\.self)
        return report
    }

    // MARK: Failures

    /// - Throws: errors that no other attempt can fix.
    private func failure(_ error: any Error) throws(TranscodeError) -> FailedAttempt {
        output.discard()
        let explained = job.explain(error, plan)
        let kept = journal?.close(after: explained) ?? 0
        job.report([journal?.takeCut()].compactMap(\.self))
        if explained.category == .verification { job.rejectedFrames.withLock { $0 += ledger.frameCount - kept } }
        if plan.readsPipe || output.isFinal { throw explained.afterPipe(error) }
        if let change = error as? SeamChange { return .seam(change) }
        if let missed = error as? SizeMissed, job.cancellation.reason == nil { return .size(bitrate: missed.bitrate) }
        if explained.category == .verification, ledger.isWrongEarlier, job.journal != nil { return .earlier }
        if let failure = failure(causing: error) { return .hardware(failure, explained) }
        guard kept > 0, let request = job.request.journal else { throw explained }
        throw explained.keeping(kept, of: plan.output, in: request)
    }

    /// Attributes a failed check to a GPU that worked on the output: with several lanes, to that of the lane with the
    /// wrong frame.
    private func failure(causing error: any Error) -> HardwareFailure? {
        guard job.cancellation.reason == nil else { return nil }
        let failedCheck = (error as? TranscodeError).flatMap { $0.category == .verification ? "\($0.message)" : nil }
        var failure =
            error as? HardwareFailure ?? failedCheck.flatMap { sessionsToBlame?.failure($0) }
        failure?.isBeforeFirstPacket = !ledger.hasEncoded
        return failure
    }
}

extension TranscodeAttempt {
    private var sessionsToBlame: StageSessions? {
        guard let encoding = prepared.encoding else { return nil }
        guard let lane = ledger.wrongLane, lane > 0, lane <= encoding.otherLanes.count else {
            return encoding.stages.sessions
        }
        return encoding.otherLanes[lane - 1].sessions
    }
}
