import Testing
import VTXFFmpeg
import VTXMedia
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("A journal when its attempt has failed")
struct JournalEndTests {
    private let clip: SourceClip
    private let prepared: PreparedTranscode
    private var path: String { JournalRequest().path(for: prepared.plan.output) }

    init() throws {
        clip = try SourceClip(audio: nil)
        prepared = try clip.plan()
    }

    /// Takes packets, and writes none of them.
    private final class NoOutput: PacketSink {
        let byteCount: Int64 = 0
        func open(_ stream: Int, _ description: OutputStreamDescription) {}
        func write(_ packet: Packet, to stream: Int) {}
        func finish() {}
    }

    /// An attempt that has encoded some frames, each of them a key frame: the last may not be whole.
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
        "the whole groups of pictures stay where the same command may do better the next time",
        arguments: [ErrorKind.outputNoSpace, .hardwareFault, .internal])
    func kept(kind: ErrorKind) throws {
        #expect(try keeps(3, after: kind) == 2)
        #expect(FileStatus(path) != nil)
        let next = TranscodeJournal(JournalRequest())
        _ = try next.open(prepared.plan, isRetry: false)
        #expect(next.resumePoint(prepared.plan)?.frameCount == 2)
    }

    @Test(
        "nothing stays where it would fail again, or without a whole group of pictures",
        arguments: [(3, ErrorKind.verificationFrames), (3, .inputUnreadable), (1, .internal)])
    func removed(frames: Int, kind: ErrorKind) throws {
        #expect(try keeps(frames, after: kind) == 0)
        #expect(FileStatus(path) == nil)
    }

    @Test("a worker whose owner is gone gives nothing its name, and the same command goes on")
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

    @Test("a job that is stopped in its first second leaves nothing of its own, and what was there before")
    func stopped() throws {
        #expect(try keeps(3, after: .interrupted) == 0)
        #expect(FileStatus(path) == nil)
        #expect(try keeps(3, after: .outputNoSpace) == 2)
        #expect(try keeps(2, after: .interrupted) == 3)
        #expect(FileStatus(path) != nil)
    }

    @Test("a journal of something else stays")
    func mismatch() throws {
        #expect(try keeps(3, after: .outputNoSpace) == 2)
        var other = prepared.plan
        other.video.encoder.maxKeyFrameInterval += 1
        let journal = TranscodeJournal(JournalRequest())
        let error = #expect(throws: TranscodeError.self) { try journal.open(other, isRetry: false) }
        #expect(journal.close(after: try #require(error)) == 0 && error?.kind == .journalMismatch)
        #expect(FileStatus(path) != nil)
    }

    @Test("a job's own journal stays for its next attempt, and is nothing for the next command")
    func temporary() throws {
        let journal = TranscodeJournal(JournalRequest(), isTemporary: true)
        #expect(try keeps(3, after: .hardwareFault, journal) == 0)
        #expect(FileStatus(path) != nil)
        _ = try journal.open(prepared.plan, isRetry: true)
        #expect(journal.resumePoint(prepared.plan)?.frameCount == 2)
    }
}
