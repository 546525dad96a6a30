import FoundationEssentials
import Testing
import VTXMedia
import VTXTask
import VTXSystem
import VTXTestValues

@testable import VTXCommand

@Suite("vtx doctor")
struct DoctorTests {
    private let test = TestConsole()
    private let directory = ShellScript()
    private let transcoded = Locked<[String]>([])

    private static let gpu: DeviceReport = {
        var device = DeviceReport(device: "/dev/dri/renderD128", name: "a GPU", isHardware: true)
        device.rows = [CodingRow(.encode, codec: "h264", profile: "high", chroma: "4:2:0")]
        device.rows[0].trial = SelfTestResult(.passed, frames: 12)
        return device
    }()

    private func run(
        _ devices: [DeviceReport], json: Bool = false, overwrites: Bool = false, fails: String? = nil
    ) -> ExitCode {
        var settings = DoctorSettings()
        settings.output = directory.path("report.txt")
        settings.printsJSON = json
        settings.overwrites = overwrites
        let transcoded = transcoded
        let examination = DoctorExamination(
            libraries: [], system: [("user", "/users/ann/x")], probe: { ProbeReport(devices: devices) },
            transcode: { device, codec in
                let name = "\(codec) on \(device ?? "software")"
                transcoded.withLock { $0.append(name) }
                var report = TranscodeReport()
                if name == fails { report.error = "it broke" }
                return report
            }, answers: { [("/dev/dri/renderD128", "libva 1.17\n")] })
        return DoctorRun(
            settings: settings, console: test.console, examination: { _ in examination },
            date: Today(day: "2026-01-02", time: "03:04"), home: "/users/ann"
        ).run()
    }

    @Test("software and each GPU transcode each codec, and the report has the results")
    func whole() throws {
        #expect(run([Self.gpu]) == .success)
        #expect(
            transcoded.withLock { $0 }
                == ["H.264 on software", "HEVC on software", "H.264 on /dev/dri/renderD128"])
        let text = try #require(directory.text(of: "report.txt"))
        #expect(text.hasPrefix("vtx doctor, 2026-01-02 03:04 UTC\n"))
        for part in ["ok       GPUs: /dev/dri/renderD128 (a GPU)", "== system", "encodes", "libva 1.17", "~/x"] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains("ann"))
        #expect(test.output.lines.count == 7 && test.output.lines.allSatisfy { $0.hasPrefix("ok ") })
    }

    @Test("an existing report is kept, and nothing is tested if it cannot be written")
    func existing() {
        #expect(run([Self.gpu]) == .success)
        let before = transcoded.withLock { $0.count }
        #expect(run([Self.gpu]) == .output)
        #expect(transcoded.withLock { $0.count } == before)
        #expect(run([Self.gpu], overwrites: true) == .success)
    }

    @Test("no GPU is 5, a GPU that fails is 5, software that fails is worse; there is a report each time")
    func failures() {
        #expect(run([]) == .hardware)
        #expect(directory.exists("report.txt"))
        #expect(run([Self.gpu], json: true, overwrites: true, fails: "H.264 on /dev/dri/renderD128") == .hardware)
        #expect(test.output.lines.last?.contains("\"doctor.hardware\"") == true)
        #expect(run([Self.gpu], json: true, overwrites: true, fails: "HEVC on software") == .internalError)
        #expect(test.output.lines.last?.contains("\"doctor.software\"") == true)
        var bad = Self.gpu
        bad.rows[0].trial = SelfTestResult(.failed, evidence: "black")
        #expect(run([bad], overwrites: true) == .hardware)
        #expect(directory.text(of: "report.txt")?.contains("failed   trials: 1 of 1 failed") == true)
    }

    @Test("records: one for each step, and a result that names the file")
    func records() {
        #expect(run([Self.gpu], json: true) == .success)
        #expect(test.output.lines.count == 8 && test.output.lines[0].contains("\"type\":\"step\""))
        #expect(test.output.lines.last?.contains("report.txt") == true)
        #expect(test.output.lines.last?.contains("\"type\":\"result\"") == true)
    }
}
