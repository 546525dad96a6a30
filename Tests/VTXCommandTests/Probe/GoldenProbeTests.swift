import FoundationEssentials
import Testing
import VTXTask

@testable import VTXCommand

/// Recorded answers of real drivers, as records and as text: Tests/Fixtures/probe.
@Suite("Recorded probes")
struct GoldenProbeTests {
    private static let folder =
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fixtures/probe/"

    private func text(_ name: String) throws -> String {
        let data = try #require(FileManager.default.contents(atPath: Self.folder + name))
        return String(decoding: data, as: UTF8.self)
    }

    /// The last record before the result.
    private struct Summary: Decodable {
        var problems: [ProbeProblem]
        var choices: [ProbeChoice]
    }

    private func report(_ name: String) throws -> (report: ProbeReport, lines: [String]) {
        let lines = try text(name + ".jsonl").split(separator: "\n").dropLast().map(String.init)
        let devices = try lines.dropLast().map { try JSONDecoder().decode(DeviceReport.self, from: Data($0.utf8)) }
        let summary = try JSONDecoder().decode(Summary.self, from: Data(try #require(lines.last).utf8))
        return (ProbeReport(devices: devices, problems: summary.problems, choices: summary.choices), lines)
    }

    @Test("the text is the recorded one", arguments: ["tgl-navi21", "soft-trial"])
    func text(name: String) throws {
        let expected: String = try text(name + ".txt")
        #expect(ProbeText.text(for: try report(name).report) == expected)
        #expect(expected.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test("the records are the recorded ones", arguments: ["tgl-navi21", "soft-trial"])
    func records(name: String) throws {
        let (report, lines) = try report(name)
        #expect(report.devices.map { DeviceRecord($0).line } == lines.dropLast().map { $0 + "\n" })
        let recorded = lines[lines.count - 1].replacing("0.1.0", with: Program.version)
        #expect(ProbeRecord(report).line == recorded + "\n")
    }
}
