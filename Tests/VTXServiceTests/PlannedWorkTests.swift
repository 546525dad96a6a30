import Testing
import VTXJSON
import VTXJobs
import VTXTask
import VTXTestValues

@testable import VTXService

@Suite("What a job's plan says of its work")
struct PlannedWorkTests {
    /// As `vtx transcode --explain --json` writes it.
    private func work(_ change: (inout TranscodePlan) -> Void = { _ in }) throws -> PlannedWork {
        var plan = TranscodePlan.example()
        change(&plan)
        return try PlannedWork(try JSONValue(encoding: plan), [:])
    }

    @Test("is each stage's codec, and how large its pictures are")
    func encoded() throws {
        let work = try work()
        let pixels = 320 * 180 / 1e6
        #expect(work.workload.stages[.encode] == .init("hevc", megapixels: pixels))
        #expect(work.workload.stages[.decode]?.kind == "h264" && work.targetCodec == "hevc")
        #expect(work.workload.allowsHardware && work.workload.frames == 75)
    }

    @Test("is hardly anything for video that is copied, and no GPU's")
    func copied() throws {
        let work = try work { $0.video.encoding = nil }
        #expect(work.workload.stages == [.encode: .init("h264", megapixels: 0.01)])
        #expect(!work.workload.allowsHardware && work.targetCodec == "h264")
    }
}
