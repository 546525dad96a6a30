import Testing
import VTXMedia
import VTXTask
import VTXTestValues

@testable import VTXCommand

@Suite("What vtx probe prints")
struct ProbeTextTests {
    private static func row(
        _ direction: CodingRow.Direction, _ codec: String, _ profile: String,
        _ change: (inout CodingRow) -> Void = { _ in }
    ) -> CodingRow {
        var row = CodingRow(direction, codec: codec, profile: profile, chroma: "4:2:0")
        row.entrypoint = direction == .encode ? "EncSlice" : "VLD"
        row.bitDepths = [8]
        change(&row)
        return row
    }

    private static func device(_ rows: [CodingRow]) -> DeviceReport {
        var device = DeviceReport(device: "/dev/dri/renderD128", name: "Intel Tiger Lake", isHardware: true)
        device.driver = "a driver"
        device.rows = rows
        return device
    }

    private func lines(_ devices: DeviceReport..., problems: [ProbeProblem] = []) -> [String] {
        ProbeText.text(for: ProbeReport(devices: devices, problems: problems)).split(separator: "\n").map(String.init)
    }

    @Test("a row has the driver's capability, and its PSNR in a trial")
    func table() {
        let rows = [
            Self.row(.encode, "hevc", "main10") { row in
                row.bitDepths = [8, 10]
                row.rateControls = ["CBR", "VBR", "MB"]
                row.packedHeaders = ["SEQUENCE", "SLICE"]
                row.bFrames = true
                row.trial = SelfTestResult(.passed, frames: 12, psnr: 41.23)
            },
            Self.row(.encode, "h264", "high") { $0.packedHeaders = [] },
            Self.row(.decode, "vp9", "VP9Profile2") { $0.trial = SelfTestResult(.passed, frames: 12) },
        ]
        let lines = lines(Self.device(rows))
        #expect(lines.contains("  encodes      entrypoint  bits  up to  rate control  B  headers    trial"))
        #expect(lines.contains("  HEVC main10  EncSlice    8 10  -      CBR VBR       B  seq slice  41.2 dB"))
        #expect(lines.contains("  H.264 high   EncSlice    8     -      -             -  -          -"))
        #expect(lines.contains("  VP9 profile 2  VLD         8     -      exact"))
    }

    @Test("rows with the same result share their evidence")
    func evidence() {
        let crash = SelfTestResult(.crashed, evidence: "the driver aborted (SIGABRT)")
        let rows = ["main", "high"].map { profile in Self.row(.decode, "h264", profile) { $0.trial = crash } }
        let lines = lines(Self.device(rows))
        #expect(lines.contains { $0.hasSuffix("CRASHED") })
        #expect(lines.contains("    decode H.264 main, decode H.264 high: crashed: the driver aborted (SIGABRT)"))
    }

    @Test("a problem has its hint, and control characters are escaped")
    func problems() {
        let problem = ProbeProblem(kind: "driverFailed", message: "it \u{1B}failed", hint: "install the other one")
        var device = Self.device([])
        device.problems = [problem]
        #expect(lines(device).contains("  problem: it \\x1bfailed"))
        #expect(
            lines(problems: [problem]).prefix(2) == ["problem: it \\x1bfailed", "  hint: install the other one"])
    }

    @Test("without usable hardware the last line says that software works")
    func verdict() {
        #expect(lines(Self.device([])).last == "No GPU here can be used. vtx works in software.")
        #expect(
            lines(Self.device([Self.row(.decode, "h264", "main")])).last
                != "No GPU here can be used. vtx works in software.")
    }
}

@Suite("A run of vtx probe")
struct ProbeRunTests {
    private let test = TestConsole()

    private func run(json: Bool, _ report: Result<ProbeReport, TranscodeError>) -> ExitCode {
        var settings = ProbeSettings()
        settings.printsJSON = json
        let run = ProbeRun(
            settings: settings, console: test.console, probe: { _ throws(TranscodeError) in try report.get() })
        return run.run()
    }

    private static let usable: DeviceReport = {
        var device = DeviceReport(device: "/dev/dri/renderD128", name: "a GPU", isHardware: true)
        device.rows = [CodingRow(.encode, codec: "h264", profile: "high", chroma: "4:2:0")]
        return device
    }()

    @Test("a usable GPU is 0, and the records end with a result")
    func usable() throws {
        #expect(run(json: true, .success(ProbeReport(devices: [Self.usable]))) == .success)
        #expect(test.output.lines.count == 3)
        #expect(
            test.output.lines[0].contains("\"isUsable\":true") && test.output.lines[0].contains("\"type\":\"device\""))
        #expect(test.output.lines[1].contains("\"type\":\"probe\""))
        #expect(test.output.lines[2].contains("\"exitCode\":0"))
    }

    @Test("no GPU is 5, with the first problem as the error, and the text")
    func unusable() {
        let problem = ProbeProblem(
            kind: "noRenderNode", message: "there is no /dev/dri", hint: "--device /dev/dri/renderD128")
        #expect(run(json: false, .success(ProbeReport(devices: [], problems: [problem]))) == .hardware)
        #expect(test.output.text.hasPrefix("problem: there is no /dev/dri"))
        #expect(
            test.messages.lines == [
                "vtx: error: no GPU here can be used: there is no /dev/dri", "vtx: hint: --device /dev/dri/renderD128",
            ])
    }

    @Test("a failed trial is not a driver problem with a hint")
    func failedTrials() {
        var device = Self.usable
        device.rows[0].trial = SelfTestResult(.failed, evidence: "black")
        #expect(run(json: true, .success(ProbeReport(devices: [device]))) == .hardware)
        #expect(test.output.lines.last?.contains("\"hardware.trial\"") == true)
    }

    @Test("a missing device is an error with a result record")
    func noDevice() {
        #expect(run(json: true, .failure(TranscodeError(.hardwareDevice, "no such GPU"))) == .hardware)
        #expect(test.output.lines.count == 1 && test.output.lines[0].contains("hardware.device"))
    }
}

@Suite("The processes of a probe")
struct ProbeProcessesTests {
    private let shell = ShellScript()

    private func processes(_ script: String, seconds: Double? = 600) throws -> ProbeProcesses {
        let answers = [
            "PASSED": WorkerEvent.answer(.selfTest(SelfTestResult(.passed, frames: 12))),
            "DRIVER": .answer(.driver(NodeProbe(answers: "words", problems: []))),
        ].mapValues { String(JSONLine.text($0).dropLast()) }
        let launch = shell.launch(script, environment: answers)
        return try ProbeProcesses(driver: launch, worker: launch, seconds: seconds)
    }

    /// No such GPU exists, so nothing is recorded about it.
    private static let node = "/dev/dri/renderD250"

    @Test("an answer is valid, however the process ends")
    func answer() throws {
        let result = try processes("say \"$PASSED\"; kill -SEGV $$").attempt(Self.task)
        #expect(result == SelfTestResult(.passed, frames: 12))
        #expect(try processes("say \"$DRIVER\"").ask([Self.node]) == [NodeProbe(answers: "words", problems: [])])
    }

    @Test("a driver that crashes is a problem and a verdict")
    func crash() throws {
        let processes = try processes("kill -ABRT $$")
        #expect(try processes.ask([Self.node]).flatMap(\.problems).map(\.kind) == ["driverCrashed"])
        let expected = SelfTestResult(.crashed, evidence: "the driver aborted (SIGABRT)")
        #expect(try processes.attempt(Self.task) == expected)
    }

    @Test("a driver that hangs is a problem and a verdict")
    func hang() throws {
        let processes = try processes("exec sleep 1000", seconds: 0.05)
        #expect(try processes.ask([Self.node]).flatMap(\.problems).map(\.kind) == ["driverHung"])
        #expect(try processes.attempt(Self.task).verdict == .hung)
    }

    @Test("a driver that exits without an answer is a problem and a verdict")
    func exit() throws {
        let result = try processes("say nonsense; exit 0").attempt(Self.task)
        #expect(result.verdict == .crashed && result.evidence == "the driver ended the process (exit code 0)")
    }

    private static let task = SelfTestCase(device: node, .processing)
}
