import Testing
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

@testable import VTXService

@Suite("A job's engine time, and its bit rate over time")
struct UsageTests {
    private let directory: TestDirectory
    private let service: TestService

    init() throws {
        directory = try TestDirectory()
        service = try TestService(directory)
        try directory.write("clip", to: "media/in.mp4")
    }

    @Test("engine time is in the attempt and in the metrics")
    func engines() throws {
        service.runner.used.withLock { $0 = [EngineID(TestRunner.gpu, "video"): 2.5] }
        let job = try service.ended(service.submit(directory.file("media/in.mp4")))
        #expect(job["attempts"]?.array?.last?["engineSeconds"] == ["/dev/dri/renderD128/video": 2.5])
        let text = try service.ask("GET", "/metrics").body.string ?? ""
        #expect(
            text.contains(#"vtx_gpu_engine_seconds_total{device="/dev/dri/renderD128",engine="video"} 2.5"# + "\n"))
    }

    @Test("software uses no engine")
    func software() throws {
        let job = try service.ended(service.submit(directory.file("media/in.mp4")))
        #expect(job["attempts"]?.array?.last?["engineSeconds"] == nil)
    }

    @Test("the bit rate is the receipt's; before it, there is none")
    func bitRate() throws {
        let id = try service.submit(directory.file("media/in.mp4"))
        _ = try service.ended(id)
        #expect(try service.ask("GET", "/v1/jobs/\(id)/bit-rate").body == ["interval": 1, "values": []])
        let rates: JSONValue = ["interval": 0.5, "values": [1000, 2000]]
        service.runner.receipt.withLock { $0 = ["type": "result", "bitRates": rates] }
        let other = try service.submit(directory.file("media/in.mp4"), directory.file("media/other.mp4"))
        _ = try service.ended(other)
        #expect(try service.ask("GET", "/v1/jobs/\(other)/bit-rate").body == rates)
    }

    @Test("a worker's progress has the bits of each second; another attempt restarts it")
    func history() {
        var history = BitHistory()
        func note(_ seconds: Double, _ bytes: Int64) {
            history.note(JobProgress(phase: "transcoding", frames: 0, bytes: bytes, seconds: seconds))
        }
        #expect(history.rates == nil)
        note(1, 1000)
        note(1, 1000)
        note(2, 1000)
        note(3, 3000)
        #expect(history.rates?.values == [8000, 8000, 8000, 8000, 8000, 8000])
        note(0.5, 100)
        #expect(history.rates?.values == [1600])
    }
}
