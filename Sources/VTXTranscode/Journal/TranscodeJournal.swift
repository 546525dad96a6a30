import VTXJournal
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The journal of one transcode, over all its attempts.
final class TranscodeJournal: Sendable {
    private typealias Header = JournalHeader<JournaledTask>
    static let shardName = "video-0"

    let request: JournalRequest
    /// It was made for another attempt, and goes with the job.
    let isTemporary: Bool
    private let state = Locked(State())

    private struct State {
        /// Of the journal; empty where none is kept.
        var path = ""
        /// nil while there is nothing in it.
        var directory: JournalDirectory?
        /// Of the attempt that runs.
        var sink: JournalSink?
        var header: Header?
        var shard = JournalShard(name: TranscodeJournal.shardName)
        var hasStartedOver = false
        var repeatsParameterSets = false
        var minDelay = 0
        /// The place of the first packet that failed the check.
        var firstWrongPacket: Int?
        var cut: Notice?
    }

    init(_ request: JournalRequest, isTemporary: Bool = false) {
        (self.request, self.isTemporary) = (request, isTemporary)
    }

    /// Finds what earlier runs, or attempts, have left.
    ///
    /// - Parameter isRetry: this job has failed with a GPU; what it made for that is thrown away where nothing else can
    ///   go on with it.
    /// - Throws: `journal.mismatch`.
    func open(_ plan: TranscodePlan, isRetry: Bool) throws(TranscodeError) -> [Notice] {
        var state = state.withLock { $0 }
        defer { self.state.withLock { $0 = state } }
        do {
            return try open(plan, isRetry, &state)
        } catch let error as TranscodeError { throw error } catch {
            (state.path, state.directory, state.shard) = ("", nil, JournalShard(name: Self.shardName))
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
        return [leftovers].compactMap(\.self) + (begins ? startOver(&state) : try goOn(header, isRetry, &state))
    }

    private func startOver(_ state: inout State) -> [Notice] {
        // The first group of pictures makes it again; whether it can is known by now.
        state.directory?.remove()
        state.directory = nil
        state.shard = JournalShard(name: Self.shardName)
        return []
    }

    private func goOn(_ header: Header, _ isRetry: Bool, _ state: inout State) throws -> [Notice] {
        guard let directory = state.directory else { return [] }
        guard let difference = try JournalDifference(of: directory, to: header) else {
            return startOver(&state) + [Notice(.journalUnusable, "the journal is damaged; the work starts over")]
        }
        let shard = try JournalShard(reading: Self.shardName, of: directory)
        guard difference.isNone else {
            if isRetry { return startOver(&state) }
            throw TranscodeError.journalMismatch(
                header.task.plan.output, difference, frames: shard.frameCount, resume: request)
        }
        JournalCompletion.remove(from: directory)
        state.shard = shard
        return []
    }

    /// Where this attempt goes on; nil at the beginning.
    func resumePoint(_ plan: TranscodePlan) -> ResumePoint? {
        state.withLock { state in
            guard let last = state.shard.lastPTS else { return nil }
            var point = ResumePoint(
                frameCount: state.shard.frameCount, last: MediaTime(last, plan.video.timeBase),
                sawDamage: state.directory?.isMarked ?? false)
            point.rate = Self.rate(of: state, plan)
            return point
        }
    }

    /// What cannot be read is an error when it is to be written.
    private static func rate(of state: State, _ plan: TranscodePlan) -> RateAccount? {
        let encoder = plan.video.encoding?.encoder
        guard var rate = encoder?.rateAccount(seconds: plan.timestamps.expectedSeconds) else { return nil }
        for gop in state.shard.gops {
            guard let directory = state.directory, let frames = try? state.shard.read(gop, of: directory).frames else {
                return nil
            }
            for frame in frames {
                guard let time = frame.dts ?? frame.pts else { continue }
                rate.take(byteCount: frame.payload.count, at: MediaTime(time, plan.video.timeBase).seconds)
            }
        }
        return rate
    }

    // MARK: The output

    /// - Returns: nil where no journal is kept.
    func makeSink(
        over base: any PacketSink, _ plan: TranscodePlan, _ ledger: OutputLedger, _ damage: InputErrorReport
    ) throws(TranscodeError) -> JournalSink? {
        let state = state.withLock { $0 }
        guard !state.path.isEmpty else { return nil }
        do throws(JournalError) {
            let replay = state.directory.map {
                JournalReplay(state.shard, of: $0, timeBase: plan.video.timeBase)
            }
            let writer = JournalWriter(after: state.shard, marks: { damage.concernsPictures }, in: directory)
            let sink = JournalSink(
                over: base, plan, ledger, writer: writer, replay: replay, try assembly(plan, state))
            self.state.withLock { $0.sink = sink }
            return sink
        } catch { throw TranscodeError(error) }
    }

    /// With its header, so that a journal that has frames says whose they are.
    func directory() throws(JournalError) -> JournalDirectory {
        let state = state.withLock { $0 }
        if let directory = state.directory { return directory }
        let directory = try JournalDirectory.open(state.path)
        try state.header?.write(to: directory)
        self.state.withLock { $0.directory = directory }
        return directory
    }

    private func assembly(_ plan: TranscodePlan, _ state: State) throws(JournalError) -> VideoAssembly? {
        let shard = state.shard
        guard let first = shard.gops.first, let directory = state.directory else { return nil }
        let gop = try shard.read(first, of: directory)
        let frames = gop.frames.compactMap { frame in frame.pts.map { (pts: $0, dts: frame.dts ?? $0) } }
        let duration = MediaTime.rescale(
            1, from: plan.video.frameRate.reciprocal, to: plan.video.timeBase)
        return VideoAssembly(
            parameterSets: gop.parameterSets,
            times: DecodingTimes(after: frames, minDelay: state.minDelay, frameDuration: duration))
    }

    /// Parameter sets differ from run to run, and each key frame brings its own.
    var repeatsParameterSets: Bool {
        state.withLock { $0.repeatsParameterSets || Set($0.shard.gops.map(\.parameterSets)).count > 1 }
    }

    /// The next attempt's header says what this one's did not.
    func note(_ change: SeamChange) {
        state.withLock { state in
            switch change {
            case .parameterSets: state.repeatsParameterSets = true
            case .delay(let delay): state.minDelay = max(delay, state.minDelay)
            }
        }
    }

    // MARK: The end

    /// The attempt has failed.
    ///
    /// - Returns: how many frames are there to go on from. A journal that cannot be resumed is removed.
    func close(after error: TranscodeError) -> Int {
        let (sink, earlier) = state.withLock { state in
            defer { state.sink = nil }
            return (state.sink, state.shard.frameCount)
        }
        if error.category == .verification { return cut(keeping: sink) }
        // Who stops a job in its first second wants something else.
        let frameCount = sink?.keep(beginsJournal: !error.isCancellation) ?? earlier
        let isSound =
            [.output, .interrupted, .terminated, .hardware, .internal].contains(error.category)
            && error.kind != .outputNotReplaced
        if isSound, isTemporary { return 0 }
        if isSound, frameCount > 0 { return frameCount }
        if error.kind != .journalMismatch { remove() }
        return 0
    }

    /// The output failed its check from this packet of the video on: what is before it is kept.
    func distrust(from packet: Int) { state.withLock { $0.firstWrongPacket = packet } }

    /// What of the journal was thrown away, to be said once.
    func takeCut() -> Notice? {
        state.withLock { state in
            defer { state.cut = nil }
            return state.cut
        }
    }

    /// Throws away what failed the check, and all that follows it: frames that are not decoded again cannot be told from
    /// good ones by the next run.
    ///
    /// - Returns: how many frames are left.
    private func cut(keeping sink: JournalSink?) -> Int {
        _ = sink?.keep(beginsJournal: true)
        let state = state.withLock { $0 }
        guard let packet = state.firstWrongPacket, let directory = state.directory,
            var shard = try? JournalShard(reading: Self.shardName, of: directory)
        else {
            remove()
            return 0
        }
        let all = shard.frameCount
        let wrong = shard.cut(before: packet)
        guard shard.frameCount > 0, (try? shard.truncate(in: directory)) != nil else {
            remove()
            return 0
        }
        let notice = wrong.map {
            Notice(
                .journalCut,
                "the check found group of pictures \($0.number + 1) wrong: \(counted(all - shard.frameCount, "frame", "frames")) after the first \(shard.frameCount) have to be coded again"
            )
        }
        self.state.withLock { ($0.firstWrongPacket, $0.shard, $0.cut) = (nil, shard, notice) }
        return shard.frameCount
    }

    /// The output is whole: says so on the disk before it takes the place of what is there.
    func markFinished(_ file: AtomicFile, replacing source: String?) throws(TranscodeError) {
        let state = state.withLock { $0 }
        guard let directory = state.directory, let header = state.header else { return }
        do {
            var completion = JournalCompletion(
                output: try SourceIdentity(of: file.openedPath), source: header.source, input: header.task.plan.input,
                replacedSource: source.map(request.absolutePath), command: header.task.command,
                workingDirectory: header.task.workingDirectory)
            completion.additions = Dictionary(
                zip(header.task.plan.addedFiles, header.additions ?? []), uniquingKeysWith: { first, _ in first })
            try completion.write(to: directory)
        } catch let error as JournalError { throw TranscodeError(error) } catch {
            throw TranscodeError(.system, "\(error)")
        }
    }

    /// The output is in place.
    func remove() {
        state.withLock { state in
            state.directory?.remove()
            (state.directory, state.sink) = (nil, nil)
        }
    }
}
