import VTXMedia
package import VTXSession
import VTXSystem
package import VTXTask

/// A complete transcode: inspect, plan, transcode under a temporary name, check, rename.
package final class TranscodeJob: Sendable {
    let request: TranscodeRequest
    let backends: [any VideoBackend]
    let driverFailures: [DriverFailure]
    let cancellation: Cancellation
    let report: @Sendable (TranscodeEvent) -> Void
    private let reported = Locked(Set<Notice>())
    /// What each output tells the next one; nil if there is no target size.
    let sizeSearch = Locked<SizeSearch?>(nil)
    /// What each second pass tells the next one; nil without a bit rate in two passes.
    let rateCorrection: Locked<RateCorrection?>
    /// For two-pass encoding.
    let statistics = Locked<PassStatistics?>(nil)
    /// The gains of the audio, once it has been measured.
    let loudnessGains = Locked<LoudnessGains?>(nil)
    /// The number of frames of earlier attempts that their check rejected.
    let rejectedFrames = Locked(0)
    private let pipes: TranscodePipes
    private let pipedInput = Locked<PipedInput?>(nil)
    private let pipedOutput = Locked<PipedOutput?>(nil)
    private let keptJournal: Locked<TranscodeJournal?>
    /// The source to be replaced, as it was before anything of it was read.
    private let replacedState = Locked<SourceState?>(nil)
    /// Whether joined segments have parameter sets that differ from the first one's.
    private let repeatsParameterSets = Locked(false)
    /// Whether key frames need their parameter sets, because the video of several encoders is joined.
    var mustRepeatParameterSets: Bool { journal?.repeatsParameterSets ?? repeatsParameterSets.withLock { $0 } }
    /// The journal of all attempts; nil if none is kept.
    var journal: TranscodeJournal? {
        get { keptJournal.withLock { $0 } }
        set { keptJournal.withLock { $0 = newValue } }
    }

    /// - Parameters:
    ///   - driverFailures: The driver failures of earlier processes with this job.
    ///   - pipes: The meaning of `-`.
    package init(
        _ request: TranscodeRequest, backends: [any VideoBackend], after driverFailures: [DriverFailure] = [],
        pipes: TranscodePipes = TranscodePipes(), cancellation: Cancellation,
        report: @escaping @Sendable (TranscodeEvent) -> Void
    ) {
        var request = request
        if request.writesPipe { request.verification = .off }
        (self.request, self.pipes) = (request, pipes)
        self.backends = backends
        self.driverFailures = driverFailures
        self.cancellation = cancellation
        self.report = report
        let isLimited = request.maxBitrate != nil
        let wanted = request.usesTwoPasses ? request.bitrate : nil
        rateCorrection = Locked(wanted.map { RateCorrection(wanted: $0, isLimited: isLimited) })
        keptJournal = Locked(request.canResume ? request.journal.map { TranscodeJournal($0) } : nil)
    }

    /// Runs the transcode. Blocks until the output is complete, or removed after an error.
    ///
    /// A GPU that fails costs only time. At the start, the encoder's other modes are tried, then other devices for that
    /// stage. Later, `RecoveringEncoder` replaces the codec in place. If that is impossible, or the output fails its
    /// check, another attempt follows without that GPU.
    package func run() throws(TranscodeError) -> TranscodeResult {
        if let done = try examineSource() { return done }
        // An output that cannot be written is an error before anything is read.
        if request.writesPipe { _ = try openOutput() }
        var (request, failures) = (request, HardwareFailures(driverFailures))
        defer { if let journal, journal.isTemporary { journal.remove() } }
        while true {
            let start = ContinuousClock.now
            var prepared = try prepare(request, after: failures)
            // Another process that looks for the least busy GPU must not count those that were only asked.
            backends.forEach { $0.closeIdleDevices() }
            if let skipped = try finishEarlierRun(prepared.plan) ?? checkCodec(prepared.plan) { return skipped }
            // A search for a quality encodes much.
            _ = try replacement(prepared.plan)
            if try makeEarlierPass(&prepared, &request, &failures) { continue }
            switch try attempt(prepared, isRetry: failures.hasAttempts, since: start) {
            case .success(let result): return result
            case .failure(.size(let bitrate)): request.correct(bitrate)
            case .failure(let failure): try note(failure, of: prepared, &failures)
            }
        }
    }

    /// Measures the loudness, and does what must precede the encode: a search for a quality or a bit rate, or the first
    /// of two passes.
    ///
    /// - Returns: whether the request has changed, and needs another plan.
    private func makeEarlierPass(
        _ prepared: inout PreparedTranscode, _ request: inout TranscodeRequest, _ failures: inout HardwareFailures
    ) throws(TranscodeError) -> Bool {
        try setLoudness(of: &prepared, request)
        if let target = request.wantedTarget {
            prepared.close()
            try findQuality(for: target, prepared, &request, &failures)
            return true
        }
        if request.usesTwoPasses, request.pass == nil {
            prepared.close()
            try makeFirstPass(&request, &failures)
            return true
        }
        guard let size = request.targetSize else { return false }
        return try !findRate(for: size, prepared, &request, &failures)
    }

    func prepare(
        _ request: TranscodeRequest, after failures: HardwareFailures
    ) throws(TranscodeError) -> PreparedTranscode {
        do throws(TranscodeError) {
            let piped = request.readsPipe ? try openInput() : nil
            return try TranscodePreparation(request, backends: backends, after: failures, from: piped).prepare()
        } catch {
            // A pipe may be waited for, and that has been ended.
            if request.readsPipe, let reason = cancellation.reason { throw .stopped(reason) }
            throw error
        }
    }

    /// Returns the result if there is nothing to do with the source.
    private func examineSource() throws(TranscodeError) -> TranscodeResult? {
        guard request.replacesSource else { return try checkCodec() }
        if let done = try completeReplacement() { return done }
        let state = try? SourceState(of: OutputName.target(of: request.input))
        replacedState.withLock { $0 = state }
        return try checkCodec()
    }

    /// Returns the replacement of the source; nil if the output has a name of its own.
    func replacement(_ plan: TranscodePlan) throws(TranscodeError) -> SourceReplacement? {
        request.replacesSource ? try SourceReplacement(plan, expecting: replacedState.withLock(\.self)) : nil
    }

    private func openInput() throws(TranscodeError) -> PipedInput {
        if let open = pipedInput.withLock({ $0 }) { return open }
        let input = try pipes.openInput(cancellation, digests: request.digestsPipes)
        pipedInput.withLock { $0 = input }
        return input
    }

    private func openOutput() throws(TranscodeError) -> PipedOutput {
        if let open = pipedOutput.withLock({ $0 }) { return open }
        let output = try pipes.openOutput(cancellation, digests: request.digestsPipes)
        pipedOutput.withLock { $0 = output }
        return output
    }

    /// Returns the output of an attempt.
    func makeOutput(_ plan: TranscodePlan) throws(TranscodeError) -> any AttemptOutput {
        if request.segmentedWork?.isSegment ?? false { return try SegmentOutput(plan, of: self) }
        if plan.writesPipe { return try PipeAttemptOutput(plan, try openOutput()) }
        return plan.ladder == nil ? try FileOutput(plan, of: self) : try LadderOutput(plan, of: self)
    }

    /// Records what the next attempt must know.
    private func note(
        _ failure: FailedAttempt, of prepared: PreparedTranscode, _ failures: inout HardwareFailures
    ) throws(TranscodeError) {
        switch failure {
        case .size, .earlier: break
        case .seam(let change):
            journal?.note(change)
            if change == .parameterSets { repeatsParameterSets.withLock { $0 = true } }
            prepared.encoding?.stages.recoveries.failures.forEach { failures.note($0) }
        case .hardware(let failure, let error):
            try checkRetry(failure, error, after: failures)
            failures.note(failure)
        }
        // Another device may have another codec for its default, and the user has been told of this one.
        if !failures.midStream.isEmpty { failures.codec = prepared.encoding?.plan.codec }
    }

    /// - Throws: if the request allows no other attempt. The same GPU may always be used in another way.
    func checkRetry(
        _ failure: HardwareFailure, _ error: TranscodeError, after failures: HardwareFailures
    ) throws(TranscodeError) {
        if failure.costsModeOnly || failures.isFirstShortage(failure) { return }
        if request.hardware != .auto { throw error }
        if request.forbidsFallbacks { throw .forbiddenFallback(failure.message) }
    }

    private func attempt(
        _ prepared: PreparedTranscode, isRetry: Bool, since start: ContinuousClock.Instant
    ) throws(TranscodeError) -> Result<TranscodeResult, FailedAttempt> {
        // The GPU is not closed before the owner knows the result.
        return try withExtendedLifetime(prepared) { () throws(TranscodeError) in
            report(.planned(prepared.plan))
            report(prepared.plan.notices)
            return try TranscodeAttempt(prepared, of: self).run(isRetry: isRetry, since: start).map(finished)
        }
    }

    func finished(_ result: TranscodeResult) -> TranscodeResult {
        // A process may be ended as soon as it has reported its result.
        statistics.withLock { $0 = nil }
        report(.finished(result))
        return result
    }

    /// Called before the output gets its name: if the command is gone, the next one resumes.
    func checkCancellation() throws {
        if cancellation.checked() != nil { throw CancelledByUser() }
    }

    /// Converts any error to a `TranscodeError`, as the last step of error handling.
    func explain(_ error: any Error, _ plan: TranscodePlan) -> TranscodeError {
        if let reason = cancellation.reason {
            return .cancelled(reason, output: plan.output)
        }
        switch error {
        case let error as TranscodeError: return error
        case let error as AtomicFileError: return TranscodeError(error)
        case let error as SystemError: return TranscodeError(.system, "\(error)")
        case let failure as HardwareFailure: return TranscodeError(failure)
        case let error as SessionError:
            let full = statistics.withLock(\.self)?.fullDirectory
            return full.map { .noSpace(forStatisticsIn: $0) }
                ?? TranscodeError(ErrorKind(error.code), Message(error.message))
        default: return TranscodeError(.internal, "\(plan.inputName): \(error)")
        }
    }

    /// Reports notices that no earlier attempt has reported.
    @Sendable func report(_ notices: [Notice]) {
        for notice in notices where reported.withLock({ $0.insert(notice).inserted }) { report(.notice(notice)) }
    }
}

extension TranscodeRequest {
    /// Whether an unfinished transcode can be continued.
    var canResume: Bool {
        // Filters may depend on all previous frames. Copying is fast anyway.
        !usesPipe && appended.isEmpty && filters == nil && !copiesVideo
            && targetSize == nil && !usesTwoPasses && deinterlace != .telecine
            // Distributed work resumes from its complete segments.
            && segmentedWork == nil
    }

    /// Sets the rate of the next output.
    fileprivate mutating func correct(_ bitrate: Int) {
        if usesTwoPasses { wantedBitrate = wantedBitrate ?? self.bitrate }
        self.bitrate = bitrate
    }
}
