import Testing
import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("A journal after a failed attempt")
struct JournalEndTests {
    private let clip: SourceClip
    private let prepared: PreparedTranscode
    private var path: String { JournalRequest().path(for: prepared.plan.output) }

    init() throws {
        clip = try SourceClip(audio: nil)
        prepared = try clip.plan()
    }

    /// Accepts packets without writing them.
    private final class NoOutput: PacketSink {
        let byteCount: Int64 = 0
        func open(_ stream: Int, _ description: OutputStreamDescription) {}
        func write(_ packet: Packet, to stream: Int) {}
        func finish() {}
    }

    /// An attempt that has encoded some frames, all key frames: the last may be incomplete.
    private func attempt(_ frames: Int, on journal: TranscodeJournal) throws {
        let plan = prepared.plan
        _ = try journal.open(plan, isRetry: false)
        let ledger = OutputLedger(streams: 1)
        let sink = try #require(try journal.makeSink(over: NoOutput(), plan, ledger, InputErrorReport()))
        let timeBase = plan.video.encoder.timeBase
        for frame in 0..<Int64(frames) {
            try sink.write(
                Packet(bytes: [0, 0, 0, 1], pts: frame, dts: frame, duration: 1, timeBase: timeBase),
                to: plan.videoIndex)
        }
    }

    private func keeps(_ frames: Int, after kind: ErrorKind, _ journal: TranscodeJournal? = nil) throws -> Int {
        let journal = journal ?? TranscodeJournal(JournalRequest())
        try attempt(frames, on: journal)
        return journal.close(after: TranscodeError(kind, "it failed"))
    }

    @Test(
        "complete GOPs are kept if the same command may succeed next time",
        arguments: [ErrorKind.outputNoSpace, .hardwareFault, .internal])
    func kept(kind: ErrorKind) throws {
        #expect(try keeps(3, after: kind) == 2)
        #expect(FileStatus(path) != nil)
        let next = TranscodeJournal(JournalRequest())
        _ = try next.open(prepared.plan, isRetry: false)
        #expect(next.resumePoint(prepared.plan)?.frameCount == 2)
    }

    @Test("the command that resumes is the one to repeat: the first may have replaced its source, and this one not")
    func command() throws {
        var request = JournalRequest()
        request.command = ["in.avi", "--replace"]
        #expect(try keeps(3, after: .outputNoSpace, TranscodeJournal(request)) == 2)
        request.command = ["in.avi", "out.mp4"]
        let journal = TranscodeJournal(request)
        _ = try journal.open(prepared.plan, isRetry: false)
        #expect(journal.close(after: TranscodeError(.interrupted, "stopped")) == 2)
        let kept = try JournalHeader<JournaledTask>.read(from: journal.directory())
        #expect(kept.task.command == ["in.avi", "out.mp4"])
    }

    @Test(
        "nothing is kept if it would fail again, or without a complete GOP",
        arguments: [(3, ErrorKind.verificationFrames), (3, .inputUnreadable), (1, .internal)])
    func removed(frames: Int, kind: ErrorKind) throws {
        #expect(try keeps(frames, after: kind) == 0)
        #expect(FileStatus(path) == nil)
    }

    @Test("a worker without its owner renames nothing, and the same command resumes")
    func withoutOwner() throws {
        let request = clip.request("late.mkv") { ($0.preset, $0.journal) = (.fast, JournalRequest()) }
        let run = { isOwned in
            try TranscodeJob(
                request, backends: [SoftwareBackend()], cancellation: Cancellation { isOwned }, report: { _ in }
            ).run()
        }
        #expect(throws: TranscodeError.self) { try run(false) }
        #expect(!AtomicFile.exists(clip.directory.file("late.mkv")))
        #expect(try run(true).outcome == .completed)
    }

    @Test("a journal that is removed in the meantime does not cost the output")
    func removedMeanwhile() throws {
        let request = clip.request("whole.mkv") { ($0.preset, $0.journal) = (.fast, JournalRequest()) }
        let journal = JournalRequest().path(for: clip.directory.file("whole.mkv"))
        let notices = Locked<[NoticeKind]>([])
        let result = try TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { event in
            switch event {
            case .progress(let progress) where progress.phase == .verifying: Directory.removeTree(journal)
            case .notice(let notice): notices.withLock { $0.append(notice.kind) }
            default: break
            }
        }.run()
        #expect(result.outcome == .completed && AtomicFile.exists(clip.directory.file("whole.mkv")))
        #expect(notices.withLock { $0 } == [.journalUnusable])
    }

    @Test("a job stopped in its first second leaves nothing new, and keeps an earlier journal")
    func stopped() throws {
        #expect(try keeps(3, after: .interrupted) == 0)
        #expect(FileStatus(path) == nil)
        #expect(try keeps(3, after: .outputNoSpace) == 2)
        #expect(try keeps(2, after: .interrupted) == 3)
        #expect(FileStatus(path) != nil)
    }

    @Test("a journal of another job is kept")
    func mismatch() throws {
        #expect(try keeps(3, after: .outputNoSpace) == 2)
        var other = prepared.plan
        other.video.encoder.maxKeyFrameInterval += 1
        let journal = TranscodeJournal(JournalRequest())
        let error = #expect(throws: TranscodeError.self) { try journal.open(other, isRetry: false) }
        #expect(journal.close(after: try #require(error)) == 0 && error?.kind == .journalMismatch)
        #expect(FileStatus(path) != nil)
    }

    @Test("a job's own journal is kept for its next attempt, but not for the next command")
    func temporary() throws {
        let journal = TranscodeJournal(JournalRequest(), isTemporary: true)
        #expect(try keeps(3, after: .hardwareFault, journal) == 0)
        #expect(FileStatus(path) != nil)
        _ = try journal.open(prepared.plan, isRetry: true)
        #expect(journal.resumePoint(prepared.plan)?.frameCount == 2)
    }
}
