import Testing
import VTXMedia
import VTXTestValues

@testable import VTXTask

@Suite("Orders and events as JSON")
struct WorkerCodingTests {
    @Test("every order comes back equal, and is one line", arguments: tasks)
    func orderRoundTrip(task: WorkerTask) throws {
        var order = WorkerOrder(task, reportsLog: true)
        order.faults = [
            DriverFailure(
                device: DeviceID("/dev/dri/renderD128"), deed: "crashed", isHang: false, isWhileAsked: true,
                codec: .h264)
        ]
        let line = JSONLine.text(order)
        #expect(line.hasSuffix("}\n") && !line.dropLast().contains("\n"))
        #expect(try JSONLine.value(WorkerOrder.self, from: line) == order)
    }

    @Test("every event comes back equal, and is one line", arguments: events)
    func eventRoundTrip(event: WorkerEvent) throws {
        let line = JSONLine.text(event)
        #expect(line.hasSuffix("}\n") && !line.dropLast().contains("\n"))
        #expect(try JSONLine.value(WorkerEvent.self, from: line) == event)
    }

    @Test("a transcode's events are what programs read anyway")
    func sameRecords() {
        let plan = TranscodeEvent.planned(.example())
        #expect(JSONLine.text(WorkerEvent.transcode(plan)) == JSONLine.text(plan))
    }

    @Test("a journal comes along with its request")
    func journal() throws {
        guard case .transcode(let request) = Self.tasks[1] else { return }
        let line = JSONLine.text(WorkerOrder(.transcode(request)))
        guard case .transcode(let read) = try JSONLine.value(WorkerOrder.self, from: line).task else { return }
        #expect(read.journal == request.journal && read.journal != nil)
    }

    static let tasks: [WorkerTask] = {
        var request = TranscodeRequest(input: "a\nb.mkv", output: "größer %.mp4")
        request.quality = Quality(62.5)
        request.codec = .h264
        var kept = request
        kept.journal = JournalRequest()
        kept.journal?.command = ["--quality", "62.5"]
        let row = CodingRow(.encode, codec: "h264", profile: "high", chroma: "4:2:0")
        return [
            .transcode(request), .transcode(kept), .plan(request), .askDriver(node: "/dev/dri/renderD128"),
            .selfTest(SelfTestCase(device: "software", .row(row))),
            .selfTest(SelfTestCase(device: "/dev/dri/renderD128", .toneMapping)),
            .listNALUnits(NALDump(input: "-")), .extract(ExtractJob(input: "in.mp4")),
            .mux(MuxJob(input: "in.h264", output: "out.mp4")), .versions,
        ]
    }()

    static let events: [WorkerEvent] =
        [
            .using(DeviceID("/dev/dri/renderD128")), .writing("a\nb.mp4"), .log("words"), .output("one\ntwo\n"),
            .answer(.driver(NodeProbe(answers: "a\nb", problems: [ProbeProblem(kind: "x", message: "y", hint: "z")]))),
            .answer(.selfTest(SelfTestResult(.passed, frames: 12, psnr: 44.5))), .answer(.listed(.incompleteSource)),
            .answer(.versions([LibraryVersion(name: "libavcodec", version: "59")])), .done,
            .failed(TranscodeError(.inputNotFound, "gone", hint: "\(option: .hardware, "off") helps")),
        ]
        + EventCodingTests.events.map {
            if case .finished(let result) = $0 { .result(result) } else { .transcode($0) }
        }
}
