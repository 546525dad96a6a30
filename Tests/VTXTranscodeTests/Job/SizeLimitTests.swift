import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("The size limit of an output")
struct SizeLimitTests {
    private func isStopped(_ written: Int64, _ fraction: Double?) -> Bool {
        let limit = SizeLimit(output: "out.mp4", ratio: 0.5, sourceBytes: 2000)
        return limit.excess(written: written, SizeProjection(written: written, fraction: fraction)) != nil
    }

    @Test("written bytes always count, and the estimate from a tenth on, with a margin")
    func limit() {
        #expect(!isStopped(1000, 1) && isStopped(1001, 1) && isStopped(1001, nil) && isStopped(1001, 0.01))
        #expect(!isStopped(900, 0.09) && !isStopped(900, nil))
        #expect(isStopped(111, 0.1) && !isStopped(110, 0.1))
    }

    @Test("attachments are counted once")
    func header() {
        #expect(SizeProjection(written: 1100, header: 1000, fraction: 0.1)?.total == 2000)
        #expect(SizeProjection(written: 1100, header: 1000, fraction: 1)?.total == 1100)
    }

    @Test("what the source spends on its beginning is not expected of the rest")
    func beginning() throws {
        let clip = try SourceClip(frames: 25)
        var plan = try clip.plan().plan
        plan.timestamps.expectedSeconds = 10
        let (ledger, sink) = (OutputLedger(streams: plan.streams.count), FakeSink())
        for second in 0..<3 {
            ledger.noteFrame(
                MediaTime(seconds: Double(second)).rescaled(to: plan.video.encoder.timeBase).ticks, seconds: 1)
            ledger.noteSource(Double(second) / 4, at: Double(second))
        }
        let packet = try Packet(bytes: [0], pts: 2, dts: 2, duration: 1, timeBase: Rational(1, 1))
        ledger.note(packet, stream: plan.videoIndex)
        try sink.write(packet, to: plan.videoIndex)
        ledger.noteSize(of: sink)
        let projection = try #require(SizeProjection(ledger, plan))
        // Half of the source's bytes are in a fifth of its time.
        #expect(abs(projection.total - 2 * projection.written) <= 4)
    }

    @Test("unwritten frames do not affect the estimate")
    func fraction() throws {
        let clip = try SourceClip(frames: 25)
        var plan = try clip.plan().plan
        plan.timestamps.expectedSeconds = 1
        let (ledger, sink) = (OutputLedger(streams: plan.streams.count), FakeSink())
        for frame in 0..<25 {
            ledger.noteFrame(
                MediaTime(seconds: Double(frame) / 25).rescaled(to: plan.video.encoder.timeBase).ticks, seconds: 0.04)
        }
        let packet = try Packet(bytes: [0], pts: 5, dts: 5, duration: 1, timeBase: Rational(1, 25))
        ledger.note(packet, stream: plan.videoIndex)
        try sink.write(packet, to: plan.videoIndex)
        ledger.noteSize(of: sink)
        let projection = try #require(SizeProjection(ledger, plan))
        #expect((projection.written, projection.total) == (100, 500))
    }

    @Test("a transcode that exceeds it ends with its own error, and leaves nothing", arguments: [true, false])
    func job(isJournaled: Bool) throws {
        let clip = try SourceClip(frames: 60)
        var request = clip.request("out.mkv") {
            ($0.codec, $0.preset, $0.maxSizeRatio) = (.h264, .fast, 0.001)
        }
        request.journal = isJournaled ? JournalRequest() : nil
        let before = clip.directory.names
        let job = TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { _ in }
        let error = try #require(throws: TranscodeError.self) { _ = try job.run() }
        #expect(error.kind == .outputTooLarge && error.category == .size)
        #expect(clip.directory.names == before)
    }
}
