import Testing
import VTXSystem
import VTXTask

@testable import VTXWorker

@Suite("A worker's sandbox")
struct WorkerSandboxTests {
    @Test("a transcode reads its source, and writes to the directories of its output and journal")
    func transcode() throws {
        var request = TranscodeRequest(input: "/media/in.mkv", output: "/done/out.mp4")
        request.journal = JournalRequest()
        request.journal?.directory = "/journals"
        let sandbox = try #require(WorkerTask.transcode(request).sandbox)
        #expect(sandbox.readable.contains("/media/in.mkv") && !sandbox.readable.contains("/media"))
        #expect(sandbox.writable.prefix(2) == ["/done", "/journals"])
        #expect(WorkerTask.plan(request).sandbox == sandbox)
    }

    @Test("an output without a name is next to its source")
    func beside() {
        let sandbox = WorkerTask.transcode(TranscodeRequest(input: "clips/in.mkv")).sandbox
        #expect(sandbox?.writable.first == "clips")
    }

    @Test("a thumbnail reads its video, and writes to the thumbnail's directory")
    func thumbnail() throws {
        let job = ThumbnailJob(input: "/media/in.mkv", output: "/state/thumbnails/a/source.jpg")
        let sandbox = try #require(WorkerTask.drawThumbnail(job).sandbox)
        #expect(sandbox.readable.contains("/media/in.mkv") && !sandbox.readable.contains("/media"))
        #expect(sandbox.writable.first == "/state/thumbnails/a" && !sandbox.writable.contains("/dev/dri"))
    }

    @Test("a task without untrusted input has none")
    func others() {
        #expect(WorkerTask.versions.sandbox == nil && WorkerTask.listCaptureDevices.sandbox == nil)
    }
}
