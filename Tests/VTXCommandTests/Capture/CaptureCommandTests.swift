import Testing
import VTXMedia
import VTXTask
import VTXWorker

@testable import VTXCommand

@Suite("vtx capture and vtx devices")
struct CaptureCommandTests {
    @Test("a table has a camera's formats with their sizes and rates, and marks unsupported ones")
    func table() {
        let modes = [
            CameraMode(size: PixelSize(640, 480), frameRates: [30, Rational(15, 2)]),
            CameraMode(size: PixelSize(1280, 720), frameRates: [Rational(30_000, 1001)]),
        ]
        let any = CameraMode(size: PixelSize(2, 2), maxSize: PixelSize(800, 600), frameRates: [60, 1])
        let camera = CameraDescription(
            path: "/dev/video0", name: "A Camera", bus: "usb-1",
            formats: [
                CameraFormat(fourCC: "YUYV", isSupported: true, modes: modes),
                CameraFormat(fourCC: "NV12", isSupported: true, modes: [any]),
                CameraFormat(fourCC: "H264", isSupported: false, modes: modes),
            ])
        let lines = CameraText.text(camera).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "/dev/video0  A Camera (usb-1)", "  YUYV  640x480         30, 7.5 fps",
                "        1280x720        29.97 fps", "  NV12  2x2 to 800x600  60 to 1 fps", "  H264  not recorded",
            ])
    }

    @Test("a camera that cannot be queried has the reason in its line")
    func problem() {
        let camera = CameraDescription(
            path: "/dev/video2", name: "", bus: "", formats: [], problem: "Permission denied")
        #expect(CameraText.text(camera) == "/dev/video2  Permission denied\n")
    }

    private static let refused = [
        ["out.mp4", "--device", "video0"], ["out.mp4", "--size", "640"], ["out.mp4", "--size", "8x8"],
        ["out.mp4", "--fps", "0"], ["out.mp4", "--hevc", "--h264"], ["out.mp4", "--quality", "1", "--bitrate", "1M"],
        ["out.mp4", "--input", "test:", "--device", "test:"], ["out.mp4", "--listen"], ["out.mp4", "--no-audio"],
        ["out.mp4", "--hls-all", "--hls-window", "9"], ["out.mp4", "--input", "test:", "--reconnect", "-1"],
        ["out.mp4", "--input", "test:", "--listen"], ["out.mp4", "--input", "test:", "--reconnect", "5"],
        ["out.mp4", "--input", "test:", "--deinterlace", "on"], ["out.mp4", "--input", "-", "--listen"],
        ["out.mp4", "-y", "-n"], ["-", "--format", "webm"], [],
    ]

    @Test("invalid options are refused before a camera is opened", arguments: refused)
    func usage(_ arguments: [String]) {
        let console = Console(output: CollectingSink(), messages: CollectingSink(), terminal: .none)
        #expect(Program.run(["capture"] + arguments, on: console) == .usage)
    }

    @Test("with standard output among the outputs, records go to standard error", arguments: ["-", "out.mp4"])
    func standardOutput(first: String) {
        let (output, messages) = (CollectingSink(), CollectingSink())
        var settings = CaptureSettings()
        (settings.firstOutput, settings.moreOutputs, settings.printsJSON) = (first, first == "-" ? [] : ["-"], true)
        let workers = Workers { _, _, _ in .failure(.standardOutputClosed) }
        let console = Console(output: output, messages: messages, terminal: .none)
        #expect(CaptureCommandRun(settings, console, workers).run() == .output)
        #expect(output.text.isEmpty && messages.text.contains("output.reader"))
    }

    @Test("the worker gets the command's options, and a recording is never restarted")
    func order() throws {
        let output = CollectingSink()
        let console = Console(output: output, messages: CollectingSink(), terminal: .none)
        var settings = CaptureSettings()
        (settings.firstOutput, settings.request.hardware, settings.printsJSON) = ("out.mp4", .off, true)
        let result = TranscodeResult(
            outcome: .completed, output: "out.mp4", frames: 3, seconds: 0.1, bytes: 9, elapsedSeconds: 0.1, notices: [])
        settings.moreOutputs = ["udp://127.0.0.1:1"]
        var request = settings.request
        request.outputs = ["out.mp4", "udp://127.0.0.1:1"]
        let expected = request
        let description = CaptureDescription(
            device: "test:", outputs: ["out.mp4"], format: "YUYV", size: PixelSize(640, 480), frameRate: 30,
            codec: .h264,
            encoder: "software", usesHardware: false)
        let workers = Workers { order, policy, listener in
            #expect(order == WorkerOrder(.capture(expected)))
            #expect(policy == Supervision.Policy(mayUseHardware: false, secondRun: .impossible))
            _ = listener.report(.capturing(description))
            return .success(.result(result))
        }
        #expect(CaptureCommandRun(settings, console, workers).run() == .success)
        let lines = output.text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("\"type\":\"capture\"") && lines[1].contains("\"frames\":3"))
    }
}
