import Testing
import VTXMedia
import VTXSession
import VTXSoftware
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("How large an output may be")
struct SizeLimitTests {
    private func isStopped(_ written: Int64, _ fraction: Double?) -> Bool {
        SizeLimit(output: "out.mp4", ratio: 0.5, sourceBytes: 2000).excess(written: written, fraction: fraction) != nil
    }

    @Test("what is there counts at any time, and what is to come from a tenth on, with some room")
    func limit() {
        #expect(!isStopped(1000, 1) && isStopped(1001, 1) && isStopped(1001, nil) && isStopped(1001, 0.01))
        #expect(!isStopped(900, 0.09) && !isStopped(900, nil))
        #expect(isStopped(111, 0.1) && !isStopped(110, 0.1))
    }

    @Test("a transcode that gets too large ends with its own error, and leaves nothing", arguments: [true, false])
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
