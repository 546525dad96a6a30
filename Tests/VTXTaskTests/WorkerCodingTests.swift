import Testing
import VTXMedia
import VTXTestValues

@testable import VTXTask

@Suite("Orders and events as JSON")
struct WorkerCodingTests {
    @Test("every order is equal after a round trip, and is one line", arguments: tasks)
    func orderRoundTrip(task: WorkerTask) throws {
        var order = WorkerOrder(task, reportsLog: true)
        order.driverFailures = [
            DriverFailure(
                device: DeviceID("/dev/dri/renderD128"), symptom: "crashed", isHang: false, isWhileAsked: true,
                codec: .h264)
        ]
        let line = JSONLine.text(order)
        #expect(line.hasSuffix("}\n") && !line.dropLast().contains("\n"))
        #expect(try JSONLine.value(WorkerOrder.self, from: line) == order)
    }

    @Test("every event is equal after a round trip, and is one line", arguments: events)
    func eventRoundTrip(event: WorkerEvent) throws {
        let line = JSONLine.text(event)
        #expect(line.hasSuffix("}\n") && !line.dropLast().contains("\n"))
        #expect(try JSONLine.value(WorkerEvent.self, from: line) == event)
    }

    @Test("a transcode's events have the documented form")
    func sameRecords() {
        let plan = TranscodeEvent.planned(.example())
        #expect(JSONLine.text(WorkerEvent.transcode(plan)) == JSONLine.text(plan))
    }

    @Test("a journal is part of its request")
    func journal() throws {
        guard case .transcode(let request) = Self.tasks[1] else { return }
        let line = JSONLine.text(WorkerOrder(.transcode(request)))
        guard case .transcode(let read) = try JSONLine.value(WorkerOrder.self, from: line).task else { return }
        #expect(read.journal == request.journal && read.journal != nil)
    }

    @Test("pipe settings are part of a request, and digests of its result")
    func digests() throws {
        var request = TranscodeRequest(input: "-", output: "-")
        request.digestsPipes = true
        request.appended = ["b.mkv", "c.mkv"]
        let line = JSONLine.text(WorkerOrder(.transcode(request)))
        #expect(try JSONLine.value(WorkerOrder.self, from: line).task == .transcode(request))
        var result = TranscodeResult(
            outcome: .completed, output: "-", frames: 1, seconds: 1, bytes: 3, elapsedSeconds: 1, notices: [])
        result.pipedSource = PipedBytes(count: 3, sha256: "ba78")
        let event = WorkerEvent.result(result)
        #expect(try JSONLine.value(WorkerEvent.self, from: JSONLine.text(event)) == event)
    }

    static let tasks: [WorkerTask] = {
        var request = TranscodeRequest(input: "a\nb.mkv", output: "größer %.mp4")
        request.quality = Quality(62.5)
        request.codec = .h264
        var kept = request
        kept.journal = JournalRequest()
        kept.journal?.command = ["--quality", "62.5"]
        var recording = CaptureRequest()
        (recording.outputs, recording.size, recording.bitrate) = (
            ["a.mkv", "udp://a:1"], PixelSize(640, 480), 1_000_000
        )
        (recording.codec, recording.duration, recording.hardware) = (.hevc, 1.5, .require)
        let row = CodingRow(.encode, codec: "h264", profile: "high", chroma: "4:2:0")
        return [
            .transcode(request), .transcode(kept), .plan(request), .askDriver(node: "/dev/dri/renderD128"),
            .selfTest(SelfTestCase(device: "software", .row(row))),
            .selfTest(SelfTestCase(device: "/dev/dri/renderD128", .toneMapping)),
            .listNALUnits(NALDump(input: "-")), .compare(ComparisonJob(original: "in.mkv", output: "out.mp4")),
            .drawThumbnail(ThumbnailJob(input: "in.mkv", output: "in.jpg")), .extract(ExtractJob(input: "in.mp4")),
            .mux(MuxJob(input: "in.h264", output: "out.mp4")), .versions, .listCaptureDevices, .capture(recording),
        ]
    }()

    private static let camera = CameraDescription(
        path: "/dev/video0", name: "A Camera", bus: "usb-1",
        formats: [
            CameraFormat(
                fourCC: "YUYV", isSupported: true,
                modes: [
                    CameraMode(size: PixelSize(640, 480), frameRates: [30, Rational(15, 2)]),
                    CameraMode(size: PixelSize(32, 32), maxSize: PixelSize(64, 64), frameRates: []),
                ])
        ])

    static let events: [WorkerEvent] =
        [
            .using(DriverUse(DeviceID("/dev/dri/renderD128"), .encode)), .pipe(.used), .pipe(.waits),
            .writing("a\nb.mp4"), .log("words"),
            .output("one\ntwo\n"),
            .answer(.driver(NodeProbe(answers: "a\nb", problems: [ProbeProblem(kind: "x", message: "y", hint: "z")]))),
            .answer(.selfTest(SelfTestResult(.passed, frames: 12, psnr: 44.5))), .answer(.listed(.incompleteSource)),
            .answer(.comparedFrames([ComparedFrame(frame: 1, outputFrame: 2, seconds: 0.04)])),
            .capturing(
                CaptureDescription(
                    device: "test:", outputs: ["a.mp4"], format: "MJPG", size: PixelSize(640, 480),
                    frameRate: Rational(30_000, 1001), codec: .hevc, encoder: "software", usesHardware: false)),
            .answer(
                .captureDevices(
                    CaptureDevices(
                        cameras: [
                            camera, CameraDescription(path: "b", name: "", bus: "", formats: [], problem: "c"),
                        ], microphones: [MicrophoneDescription(device: "default", name: "d")]))),
            .answer(.versions([LibraryVersion(name: "libavcodec", version: "59")])), .done,
            .failed(TranscodeError(.inputNotFound, "gone", hint: "\(option: .hardware, "off") helps")),
        ]
        + EventCodingTests.events.map {
            if case .finished(let result) = $0 { .result(result) } else { .transcode($0) }
        }
}
