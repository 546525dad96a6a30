import Glibc
import VTXJournal
import VTXMedia
import VTXSystem
import VTXTask

/// The journal of one transcode, over all its attempts.
final class TranscodeJournal: Sendable {
    private typealias Header = JournalHeader<JournaledTask>
    private static let shardName = "video-0"

    private let request: JournalRequest
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
    }

    init(_ request: JournalRequest, isTemporary: Bool = false) {
        (self.request, self.isTemporary) = (request, isTemporary)
    }

    /// Makes a journal of what an attempt without one has encoded, so that the next attempt goes on from it.
    ///
    /// - Parameter isWhole: the last group of pictures is.
    /// - Returns: nil where nothing can be gone on from.
    static func salvaging(
        _ video: SalvagedVideo, _ plan: TranscodePlan, isWhole: Bool, _ damage: InputErrorReport
    ) -> TranscodeJournal? {
        let journal = TranscodeJournal(JournalRequest(), isTemporary: true)
        // It may be one that the user goes on from later.
        guard !journal.request.exists(for: plan.output) else { return nil }
        do {
            return try journal.fill(video, plan, isWhole, damage) ? journal : nil
        } catch {
            journal.remove()
            return nil
        }
    }

    private func fill(
        _ video: SalvagedVideo, _ plan: TranscodePlan, _ isWhole: Bool, _ damage: InputErrorReport
    ) throws -> Bool {
        _ = try open(plan, isRetry: true)
        let writer = JournalWriter(
            after: JournalShard(name: Self.shardName), marks: { damage.concernsPictures }, in: directory)
        try video.forEach { try writer.append($0, parameterSets: video.parameterSets) }
        if isWhole { try writer.closeGOP() }
        return !writer.committed.isEmpty
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
        let directory = try state.directory ?? JournalDirectory.open(path)
        state.directory = directory
        let header = Header(
            task: JournaledTask(plan, request), source: try SourceIdentity(of: plan.input),
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
        guard let found = try? Header.read(from: directory),
            let shard = try? JournalShard(reading: Self.shardName, of: directory)
        else {
            return startOver(&state) + [Notice(.journalUnusable, "the journal is damaged; the work starts over")]
        }
        let differences = found.differences(to: header)
        guard differences.isEmpty else {
            if isRetry { return startOver(&state) }
            throw Self.mismatch(header.task.plan.output, differences, frames: shard.frameCount)
        }
        state.shard = shard
        return []
    }

    private static func mismatch(_ output: String, _ differences: [String], frames: Int) -> TranscodeError {
        TranscodeError(
            .journalMismatch,
            "the unfinished transcode of '\(output)' cannot go on: what differs is \(differences.joined(separator: ", "))",
            hint: "\(option: .restart) starts over; that throws \(counted(frames, "frame", "frames")) away")
    }

    /// Where this attempt goes on; nil at the beginning.
    func resumePoint(_ plan: TranscodePlan) -> ResumePoint? {
        state.withLock { state in
            guard let last = state.shard.lastPTS else { return nil }
            return ResumePoint(
                frameCount: state.shard.frameCount, last: MediaTime(last, plan.video.encoder.timeBase),
                sawDamage: state.directory?.isMarked ?? false)
        }
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
                JournalReplay(state.shard, of: $0, timeBase: plan.video.encoder.timeBase)
            }
            let writer = JournalWriter(after: state.shard, marks: { damage.concernsPictures }, in: directory)
            let sink = JournalSink(
                over: base, plan, ledger, writer: writer, replay: replay, try assembly(plan, state))
            self.state.withLock { $0.sink = sink }
            return sink
        } catch { throw TranscodeError(error) }
    }

    /// With its header, so that a journal that has frames says whose they are.
    private func directory() throws(JournalError) -> JournalDirectory {
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
        let differs = Set(shard.gops.map(\.parameterSets)).count > 1
        let duration = MediaTime.rescale(
            1, from: plan.video.encoder.frameRate.reciprocal, to: plan.video.encoder.timeBase)
        return VideoAssembly(
            parameterSets: gop.parameterSets, repeatsParameterSets: differs || state.repeatsParameterSets,
            times: DecodingTimes(after: frames, minDelay: state.minDelay, frameDuration: duration))
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
        // Who stops a job in its first second wants something else.
        let frameCount = sink?.keep(beginsJournal: !error.isCancellation) ?? earlier
        let isSound = [.output, .interrupted, .terminated, .hardware, .internal].contains(error.category)
        if isSound, isTemporary { return 0 }
        if isSound, frameCount > 0 { return frameCount }
        if error.kind != .journalMismatch { remove() }
        return 0
    }

    /// The output is in place.
    func remove() {
        state.withLock { state in
            state.directory?.remove()
            (state.directory, state.sink) = (nil, nil)
        }
    }
}

/// Where a resumed transcode goes on.
struct ResumePoint: Sendable, Hashable {
    /// Frames that are there.
    var frameCount: Int
    /// When the last of them is shown.
    var last: MediaTime
    /// The source is damaged up to there: it is decoded once more, so that it is said once more.
    var sawDamage = false

    func notice(_ plan: TranscodePlan) -> Notice {
        let frames =
            plan.video.expectedFrames.map { "\(frameCount) of \($0) frames" } ?? counted(frameCount, "frame", "frames")
        return Notice(.journalResumed, "resumed at \(clock) (\(frames))")
    }

    /// `0:01:23`.
    private var clock: String {
        let seconds = Int(max(0, last.seconds))
        let digits = [seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(seconds / 3600):" + digits.joined(separator: ":")
    }
}

extension TranscodeError {
    fileprivate var isCancellation: Bool { category == .interrupted || category == .terminated }

    /// The same error, with what can be gone on from.
    ///
    /// - Parameter command: what goes on with it.
    func keeping(_ frameCount: Int, _ command: String) -> TranscodeError {
        var error = self
        if isCancellation { error.message = "cancelled" }
        let condition: Message = kind == .outputNoSpace ? "with more space, " : ""
        error.hint =
            (hint.map { $0 + "; " } ?? "") + condition
            + "the same command, or `\(command)`, goes on after \(counted(frameCount, "frame", "frames"))"
        return error
    }

    init(_ error: JournalError) {
        switch error {
        case .busy(let path): self.init(.outputBusy, "another vtx is writing the journal '\(path)'")
        case .notADirectory(let path): self.init(.outputNotAFile, "the journal '\(path)' is not a directory")
        case .damagedHeader(let path, let reason): self.init(.internal, "'\(path)' cannot be used: \(reason)")
        case .system(let path, let error): self.init(output: "the journal '\(path)' cannot be written", error.code)
        }
    }
}
