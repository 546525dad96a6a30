import VTXMedia
import VTXSystem
import VTXTask

/// The output of an attempt, under a temporary name until it has been checked.
protocol AttemptOutput: AnyObject, Sendable {
    /// The ledgers of the renditions after the first.
    var lowerLedgers: [OutputLedger] { get }
    var byteCount: Int64 { get }

    /// Tests what will be needed at the end.
    func begin() throws
    func makeSink(_ ledger: OutputLedger, _ damage: InputErrorReport) throws -> any PacketSink
    /// Keeps what another attempt can resume from, after a failure.
    func salvage(_ prepared: PreparedTranscode, after error: any Error, _ damage: InputErrorReport)
    /// Flushes everything to disk and reads it back.
    func check(_ ledger: OutputLedger, shouldStop: () -> Bool) throws
    /// Moves it to its final name.
    func commit(_ damage: InputErrorReport) throws
    func discard()
    /// Stops waiting, because the work has stopped.
    func stop()
    /// Whether what was written cannot be undone, so that the attempt cannot be repeated.
    var isFinal: Bool { get }
    /// The bytes written to a pipe, if a receipt is requested.
    var piped: PipedBytes? { get }
}

extension AttemptOutput {
    func stop() {}
    var isFinal: Bool { false }
    var piped: PipedBytes? { nil }
}

/// Standard output.
final class PipeAttemptOutput: AttemptOutput {
    private let plan: TranscodePlan
    private let pipe: PipedOutput

    /// - Throws: `output.isInput` if a shell appends to the source.
    init(_ plan: TranscodePlan, _ pipe: PipedOutput) throws(TranscodeError) {
        (self.plan, self.pipe) = (plan, pipe)
        guard let status = pipe.status, status.kind == .regular, !plan.readsPipe,
            FileStatus(plan.input)?.identity == status.identity
        else { return }
        throw TranscodeError(.outputIsInput, "standard output is '\(plan.input)' itself", hint: "write another file")
    }

    let lowerLedgers: [OutputLedger] = []
    var byteCount: Int64 { pipe.byteCount }
    var isFinal: Bool { byteCount > 0 }
    var piped: PipedBytes? { pipe.bytes }

    func begin() {}

    func makeSink(_ ledger: OutputLedger, _ damage: InputErrorReport) throws -> any PacketSink {
        try MuxerSink(plan, into: pipe, damage: damage)
    }

    func salvage(_ prepared: PreparedTranscode, after error: any Error, _ damage: InputErrorReport) {}
    func check(_ ledger: OutputLedger, shouldStop: () -> Bool) {}
    func commit(_ damage: InputErrorReport) {}
    func discard() {}
    func stop() { pipe.stop() }
}

/// A single file.
final class FileOutput: AttemptOutput {
    private let job: TranscodeJob
    private let plan: TranscodePlan
    private let file: AtomicFile
    /// nil if the output does not replace the source.
    private let replacement: SourceReplacement?
    /// Set while the pipeline runs.
    private let muxer = Locked<MuxerSink?>(nil)
    /// Joins the segments.
    private let join = Locked<JoinSink?>(nil)

    private var journal: TranscodeJournal? { job.journal }

    init(_ plan: TranscodePlan, of job: TranscodeJob) throws(TranscodeError) {
        (self.plan, self.job) = (plan, job)
        let request = job.request
        let replacement = try job.replacement(plan)
        let replaces = request.overwrite == .replace || replacement.map { !$0.isRename } ?? false
        file = try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.reserve(
                plan.output, replaces: replaces, source: request.input,
                owners: Set([replacement?.owner].compactMap(\.self)), timeout: .worker)
        }
        self.replacement = replacement
    }

    let lowerLedgers: [OutputLedger] = []
    var byteCount: Int64 { FileStatus(file.openedPath)?.byteCount ?? 0 }

    func begin() throws { try replacement?.begin(file) }

    func makeSink(_ ledger: OutputLedger, _ damage: InputErrorReport) throws -> any PacketSink {
        let made = try MuxerSink(
            plan, path: file.openedPath, damage: damage, repeatsParameterSets: job.mustRepeatParameterSets)
        muxer.withLock { $0 = made }
        if case .join(let directory) = job.request.segmentedWork {
            let header = try SegmentFile.header(plan, job.request.journal ?? JournalRequest())
            let sink = JoinSink(over: made, plan, ledger, damage, from: directory, header)
            join.withLock { $0 = sink }
            return sink
        }
        return try journal?.makeSink(over: made, plan, ledger, damage) ?? made
    }

    /// Keeps what a GPU encoded before it failed, so that it is not encoded again.
    func salvage(_ prepared: PreparedTranscode, after error: any Error, _ damage: InputErrorReport) {
        guard journal == nil, job.request.canResume, error is SeamChange || error is HardwareFailure,
            job.request.hardware == .auto, !job.request.forbidsFallbacks,
            let written = muxer.withLock({ $0 })?.close()
        else { return }
        let video = SalvagedVideo(written, in: file.openedPath, plan)
        let made = TranscodeJournal.salvaging(video, plan, isWhole: error is SeamChange, damage)
        job.journal = made
    }

    func check(_ ledger: OutputLedger, shouldStop: () -> Bool) throws {
        muxer.withLock { $0 = nil }
        try file.synchronize()
        try OutputVerifier(plan: plan, ledger: ledger, path: file.openedPath).verify(shouldStop: shouldStop) { wrong in
            ledger.firstWrongPacket = wrong.firstPacket
            journal?.distrust(from: wrong.trustedPackets)
        }
    }

    func commit(_ damage: InputErrorReport) throws {
        try replacement?.finish(file, isIncomplete: damage.isIncomplete)
        job.markFinished(file.openedPath, replacing: replacement?.source)
        // All of this may have waited for the disk.
        try job.checkCancellation()
        try replacement?.checkSource(by: plan.output)
        var isDone = true
        do throws(AtomicFileError) {
            try file.commit { () throws(AtomicFileError) in isDone = try replacement?.removeSource() ?? true }
        } catch {
            if case .exists = error, let replacement { throw replacement.takenName(plan.output) }
            throw TranscodeError(error)
        }
        journal?.remove()
        // The output has its name, but another file has taken the source's in the meantime.
        if !isDone { try replacement?.checkSource(by: plan.output) }
    }

    func discard() { file.discard() }
    func stop() { join.withLock { $0 }?.stop() }
}

/// The encoded video of one segment.
final class SegmentOutput: AttemptOutput {
    private let job: TranscodeJob
    private let plan: TranscodePlan
    private let file: AtomicFile

    init(_ plan: TranscodePlan, of job: TranscodeJob) throws(TranscodeError) {
        (self.plan, self.job) = (plan, job)
        file = try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.reserve(
                plan.output, replaces: job.request.overwrite == .replace, source: plan.input, timeout: .worker)
        }
    }

    let lowerLedgers: [OutputLedger] = []
    var byteCount: Int64 { FileStatus(file.openedPath)?.byteCount ?? 0 }

    func begin() {}

    func makeSink(_ ledger: OutputLedger, _ damage: InputErrorReport) throws -> any PacketSink {
        let header = try SegmentFile.header(plan, job.request.journal ?? JournalRequest())
        return try SegmentSink(plan, into: file, header, ledger, damage)
    }

    func salvage(_ prepared: PreparedTranscode, after error: any Error, _ damage: InputErrorReport) {}

    /// Does nothing: the process that joins the segments checks the result.
    func check(_ ledger: OutputLedger, shouldStop: () -> Bool) throws {
        try reportingOutputErrors { () throws(AtomicFileError) in try file.synchronize() }
    }

    func commit(_ damage: InputErrorReport) throws { try file.commit() }
    func discard() { file.discard() }
}
