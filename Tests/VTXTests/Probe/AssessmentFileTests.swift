import Testing
import VTXLibVA
import VTXTask
import VTXTestMedia

@testable import VTX
@testable import VTXProbe

@Suite("A cached assessment")
struct AssessmentFileTests {
    private let directory: TemporaryDirectory
    private let machine: Machine
    private let file: WorkerAnswerFile<ProbeReport>

    init() throws {
        directory = try TemporaryDirectory()
        machine = try Machine("ihd-free-tgl", "radeonsi-navi21")
        file = WorkerAnswerFile(directory.file("assessment.json"), worker: "/bin/sh")
    }

    /// The two drivers' capabilities with this load of their GPUs.
    private func survey(_ loads: RenderNodeLoad...) throws -> [NodeSurvey] {
        let nodes = [Machine.path(0), Machine.path(1)]
        return try zip(zip(nodes, loads), machine.probe().ask(nodes)).map { node, probe in
            NodeSurvey(
                path: node.0, processes: node.1.processes, busyPercent: node.1.busyPercent, probe: probe)
        }
    }

    private func assess(_ survey: [NodeSurvey]) -> ProbeReport { Assessment.report(of: survey, in: machine.system) }

    @Test("it stays valid when loads change, with the current loads")
    func busy() throws {
        let before = try survey(
            RenderNodeLoad(processes: 3, busyPercent: 10), RenderNodeLoad(processes: 5, busyPercent: 20))
        let now = try survey(
            RenderNodeLoad(processes: 9, busyPercent: 0), RenderNodeLoad(processes: 1, busyPercent: 77))
        file.keep(assess(before), of: before, in: machine.system)
        let kept = try #require(file.report(of: now, in: file.read(), machine.system))
        #expect(kept == assess(now))
        #expect(kept.devices[1].otherProcesses == 1 && kept.devices[1].busyPercent == 77)
    }

    @Test("it is invalid if another GPU is the least busy one")
    func order() throws {
        let before = try survey(RenderNodeLoad(processes: 0), RenderNodeLoad(processes: 1))
        let now = try survey(RenderNodeLoad(processes: 2), RenderNodeLoad(processes: 1))
        file.keep(assess(before), of: before, in: machine.system)
        #expect(assess(before).choices != assess(now).choices)
        #expect(file.report(of: now, in: file.read(), machine.system) == nil)
    }

    @Test("it is invalid if a driver's capabilities change, or there is no GPU")
    func answers() throws {
        var survey = try survey(RenderNodeLoad(processes: 0), RenderNodeLoad(processes: 0))
        file.keep(assess(survey), of: survey, in: machine.system)
        #expect(file.report(of: survey, in: file.read(), machine.system) == assess(survey))
        survey[1].probe.answers = nil
        #expect(file.report(of: survey, in: file.read(), machine.system) == nil)
        file.keep(assess([]), of: [], in: machine.system)
        #expect(file.report(of: [], in: file.read(), machine.system) == nil)
    }
}
