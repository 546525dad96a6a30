import VTXJournal
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The journal of a transcode, across all its attempts.
final class TranscodeJournal: Sendable {
    private typealias Header = JournalHeader<JournaledTask>

    let request: JournalRequest
    /// Whether it was created for another attempt only, and is removed with the job.
    let isTemporary: Bool
    private let state = Locked(State())

    private struct State {
        /// The path of the journal; empty if none is kept.
        var path = ""
        /// nil while it is empty.
        var directory: JournalDirectory?
        /// The sink of the current attempt.
        var sink: JournalSink?
        var header: Header?
        var shards = RenditionShards(count: 1)
        /// The devices of this attempt, after those of the attempts that have encoded the shards.
        var devices = JournalDevices()
        var hasStartedOver = false
        var repeatsParameterSets = false
        var minDelay = 0
        /// The number of packets before those that failed the check, or may be as wrong.
        var trustedPackets: Int?
        var cut: Notice?
        /// Whether the output is complete, with all that it replaces still to be removed.
        var isFinished = false
    }

    init(_ request: JournalRequest, isTemporary: Bool = false) {
        (self.request, self.isTemporary) = (request, isTemporary)
    }

    /// Opens what earlier runs or attempts have left.
    ///
    /// - Parameter isRetry: Whether this job failed with a GPU. Its frames are discarded if nothing else can continue
    ///   from them.
    /// - Throws: `journal.mismatch`.
    func open(_ plan: TranscodePlan, isRetry: Bool) throws(TranscodeError) -> [Notice] {
        var state = state.withLock { $0 }
        defer { self.state.withLock { $0 = state } }
        do {
            return try open(plan, isRetry, &state)
        } catch let error as TranscodeError { throw error } catch {
            (state.path, state.directory, state.shards) = ("", nil, RenditionShards(count: plan.encodings.count))
            let reason = (error as? JournalError).map { TranscodeError($0).message } ?? "\(error)"
            return [Notice(.journalUnusable, "no journal is kept: \(reason)")]
        }
    }

    private func open(_ plan: TranscodePlan, _ isRetry: Bool, _ state: inout State) throws -> [Notice] {
        let path = request.path(for: plan.output)
        state.path = path
        if let directory = request.directory { try Directory.make(directory) }
        let directory = try state.directory ?? JournalDirectory.open(path, timeout: .worker)
        state.directory = directory
        let header = Header(
            task: JournaledTask(plan, request), source: try SourceIdentity(of: plan.input),
            additions: try plan.addedFiles.map(SourceIdentity.init(of:)),
            versions: Header.versions(request.version))
        state.header = header
        let beside = FileName.directory(of: path).directory
        let leftovers = UnfinishedTranscode.forgotten(in: beside, but: path).notice(in: beside)
        let begins = request.startsOver && !state.hasStartedOver || !JournalDirectory.exists(path)
        state.hasStartedOver = true
        return [leftovers].compactMap(\.self) + (begins ? startOver(plan, &state) : try resume(header, isRetry, &state))
    }

    private func startOver(_ plan: TranscodePlan, _ state: inout State) -> [Notice] {
        // The first group of pictures makes it again; whether it can is known by now.
        state.directory?.remove()
        (state.directory, state.devices) = (nil, JournalDevices())
        state.shards = RenditionShards(count: plan.encodings.count)
        return []
    }

    private func resume(_ header: Header, _ isRetry: Bool, _ state: inout State) throws -> [Notice] {
        guard let directory = state.directory else { return [] }
        let plan = header.task.plan
        guard let difference = try JournalDifference(of: directory, to: header) else {
            return startOver(plan, &state) + [Notice(.journalUnusable, "the journal is damaged; the work starts over")]
        }
        guard difference.isNone else {
            if isRetry { return startOver(plan, &state) }
            // The other task may have had other renditions.
            let frames = try RenditionShards(readingAllOf: directory).frameCount
            throw TranscodeError.journalMismatch(plan.output, difference, frames: frames, resume: request)
        }
        JournalCompletion.remove(from: directory)
        // The next `vtx resume` repeats this command, which may keep a source that the earlier one replaces.
        try header.write(to: directory)
        var shards = try RenditionShards(reading: plan.encodings.count, of: directory)
        if plan.video.encoding?.verification == .full { try shards.keepComparable(in: directory) }
        state.shards = shards
        state.devices = shards.frameCount > 0 ? JournalDevices.read(from: directory) : JournalDevices()
        return []
    }

    /// Returns where this attempt continues; nil for the beginning.
    func resumePoint(_ plan: TranscodePlan) -> ResumePoint? {
        state.withLock { state in
            guard let directory = state.directory, let first = state.shards.firstPTS, let last = state.shards.lastPTS
            else { return nil }
            let timeBase = plan.video.timeBase
            return ResumePoint(
                frameCount: state.shards.frameCount, last: MediaTime(last, timeBase),
                first: MediaTime(first, timeBase), sawDamage: directory.isMarked,
                rates: state.shards.rates(in: directory, plan))
        }
    }

    // MARK: The output

    /// - Parameters:
    ///   - ledger: The record of all streams, and of the first rendition.
    ///   - lower: The records of the other renditions.
    /// - Returns: nil if no journal is kept.
    func makeSink(
        over base: any PacketSink, _ plan: TranscodePlan, _ ledger: OutputLedger, lower: [OutputLedger] = [],
        _ damage: InputErrorReport
    ) throws(TranscodeError) -> JournalSink? {
        let state = state.withLock { $0 }
        guard !state.path.isEmpty else { return nil }
        do throws(JournalError) {
            let videos = try state.shards.videos(
                of: state.directory, over: base, plan, [ledger] + lower, minDelay: state.minDelay
            ) { JournalWriter(after: $0, marks: { damage.concernsPictures }, in: directory) }
            let sink = JournalSink(over: base, ledger, videos)
            self.state.withLock { $0.sink = sink }
            return sink
        } catch { throw TranscodeError(error) }
    }

    /// Returns the directory with its header, so that a journal with frames identifies its task.
    func directory() throws(JournalError) -> JournalDirectory {
        let state = state.withLock { $0 }
        if let directory = state.directory { return directory }
        let directory = try JournalDirectory.open(state.path)
        try state.header?.write(to: directory)
        state.devices.write(to: directory)
        self.state.withLock { $0.directory = directory }
        return directory
    }

    /// Whether key frames repeat their parameter sets, because they differ between runs.
    var repeatsParameterSets: Bool {
        state.withLock { $0.repeatsParameterSets || $0.shards.parameterSetsDiffer }
    }

    /// The devices of all attempts whose frames are in the output, by stage.
    var stageDevices: [String: [String]] { state.withLock(\.devices.stages) }

    /// Records the devices of this attempt so far.
    func note(_ devices: [String: [String]]) {
        state.withLock { state in
            state.devices = state.devices.followed(by: JournalDevices(devices))
            if let directory = state.directory { state.devices.write(to: directory) }
        }
    }

    /// Records a change for the header of the next attempt.
    func note(_ change: SeamChange) {
        state.withLock { state in
            switch change {
            case .parameterSets: state.repeatsParameterSets = true
            case .delay(let delay): state.minDelay = max(delay, state.minDelay)
            }
        }
    }

    // MARK: The end

    /// Closes the journal after a failed attempt.
    ///
    /// - Returns: the number of frames to resume from. A journal that cannot be resumed from is removed.
    func close(after error: TranscodeError) -> Int {
        let (sink, earlier) = state.withLock { state in
            defer { state.sink = nil }
            return (state.sink, state.shards.frameCount)
        }
        if error.category == .verification { return cut(keeping: sink) }
        if error.kind == .outputNotReplaced, state.withLock(\.isFinished) { return 0 }
        // A job cancelled in its first second leaves no journal: the user probably mistyped the command.
        let frameCount = sink?.keep(beginsJournal: !error.isCancellation) ?? earlier
        let isSound =
            [.output, .interrupted, .terminated, .hardware, .internal].contains(error.category)
            && error.kind != .outputNotReplaced
        if isSound, isTemporary { return 0 }
        // It may have been removed in the meantime.
        if isSound, frameCount > 0 { return JournalDirectory.exists(state.withLock(\.path)) ? frameCount : 0 }
        if error.kind != .journalMismatch { remove() }
        return 0
    }

    /// Discards the frames from this packet of the video on, because the output failed its check after it.
    func distrust(from packet: Int) { state.withLock { $0.trustedPackets = packet } }

    /// Returns the notice about discarded frames, once.
    func takeCut() -> Notice? {
        state.withLock { state in
            defer { state.cut = nil }
            return state.cut
        }
    }

    /// Discards the frames that failed the check and all that follow: frames that are not decoded again could not be
    /// distinguished from good ones by the next run.
    ///
    /// - Returns: the number of frames left.
    private func cut(keeping sink: JournalSink?) -> Int {
        _ = sink?.keep(beginsJournal: true)
        let state = state.withLock { $0 }
        guard let packet = state.trustedPackets, let directory = state.directory,
            var shards = try? RenditionShards(reading: state.shards.all.count, of: directory)
        else {
            remove()
            return 0
        }
        let all = shards.frameCount
        let isCut = shards.cut(before: packet)
        guard shards.frameCount > 0, (try? shards.truncate(in: directory)) != nil else {
            remove()
            return 0
        }
        let notice = Notice(
            .journalCut,
            "verification found a wrong frame: \(counted(all - shards.frameCount, "frame", "frames")) after the first "
                + "\(shards.frameCount) verified ones are encoded again")
        self.state.withLock { ($0.trustedPackets, $0.shards, $0.cut) = (nil, shards, isCut ? notice : nil) }
        return shards.frameCount
    }

    /// Marks the output as complete on disk before it gets its name.
    ///
    /// - Parameter path: The output's current path.
    func markFinished(_ path: String, replacing source: String?) throws(TranscodeError) {
        let state = state.withLock { $0 }
        guard let directory = state.directory, let header = state.header else { return }
        do {
            var completion = JournalCompletion(
                output: try SourceIdentity(ofOutput: path), source: header.source, input: header.task.plan.input,
                replacedSource: source.map(request.absolutePath), command: header.task.command,
                workingDirectory: header.task.workingDirectory)
            completion.additions = Dictionary(
                zip(header.task.plan.addedFiles, header.additions ?? []), uniquingKeysWith: { first, _ in first })
            try completion.write(to: directory)
            self.state.withLock { $0.isFinished = true }
        } catch let error as JournalError { throw TranscodeError(error) } catch {
            throw TranscodeError(.system, "\(error)")
        }
    }

    /// Removes the journal when the output is in place.
    func remove() {
        state.withLock { state in
            state.directory?.remove()
            (state.directory, state.sink) = (nil, nil)
        }
    }
}
