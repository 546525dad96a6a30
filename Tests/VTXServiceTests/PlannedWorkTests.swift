import Testing
import VTXJSON
import VTXJobs
import VTXMedia
import VTXTask
import VTXTestValues

@testable import VTXService

@Suite("The work in a job's plan")
struct PlannedWorkTests {
    /// The format of `vtx transcode --explain --json`.
    private func work(
        _ settings: [String: JSONValue] = [:], _ change: (inout TranscodePlan) -> Void = { _ in }
    ) throws -> PlannedWork {
        var plan = TranscodePlan.example()
        change(&plan)
        return try PlannedWork(try JSONValue(encoding: plan), settings)
    }

    @Test("is each stage's codec and frame size")
    func encoded() throws {
        let work = try work()
        let pixels = 320 * 180 / 1e6
        #expect(work.workload.stages[.encode] == .init("hevc", megapixels: pixels))
        #expect(work.workload.stages[.decode]?.kind == "h264" && work.targetCodec == "hevc")
        #expect(work.workload.allowsHardware && work.workload.frames == 75)
    }

    @Test("writes beside a link under the link's name")
    func links() throws {
        var work = try work { $0.output = "/media/videos/movie.hevc.ts" }
        work.nameOutput(after: "/media/all/E01.ts", insteadOf: "/media/videos/movie.ts")
        #expect(work.workload.outputName == "E01.hevc.ts")
        #expect(work.document["output"]?.string == "/media/all/E01.hevc.ts")
        // A source by its own name.
        let before = work.workload
        work.nameOutput(after: "/media/all/E01.ts", insteadOf: "/media/all/E01.ts")
        #expect(work.workload == before)
    }

    @Test("is hardly anything for copied video, without a GPU")
    func copied() throws {
        let work = try work { $0.video.encoding = nil }
        #expect(work.workload.stages == [.encode: .init("h264", megapixels: 0.01)])
        #expect(!work.workload.allowsHardware && work.targetCodec == "h264")
    }

    @Test("is all renditions of a ladder, whose source is never kept")
    func ladder() throws {
        let work = try work { plan in
            guard let encoding = plan.video.encoding else { return }
            plan.video.source.bitrate = 988_260
            plan.ladder = LadderPlan(
                writesHLS: true, writesDASH: false, keyFrameSeconds: 2, segmentSeconds: 6, names: ["180p", "90p"],
                lower: [encoding])
        }
        #expect(work.workload.stages[.encode] == .init("hevc", megapixels: 2 * 320 * 180 / 1e6))
        #expect(!work.keepsPictures && work.expectedRatio == 1)
    }

    @Test("keeps the picture, unless size, content or bit depth change")
    func pictures() throws {
        let kept = { (plan: inout TranscodePlan) in
            let size = plan.video.source.size
            plan.video.encoding?.filter.size = size
            plan.video.encoding?.filter.frameRate = nil
        }
        #expect(try work(["codec": "hevc", "quality": 60, "audio": "aac"], kept).keepsPictures)
        #expect(try !work(["bitrate": "2M"], kept).keepsPictures)
        let changes: [(inout FilterConfiguration) -> Void] = [
            { $0.size = PixelSize(160, 90) }, { $0.denoising = .light }, { $0.frameRate = Rational(30, 1) },
        ]
        for change in changes {
            let work = try work { plan in
                kept(&plan)
                plan.video.encoding.map { encoding in
                    var filter = encoding.filter
                    change(&filter)
                    plan.video.encoding?.filter = filter
                }
            }
            #expect(!work.keepsPictures)
        }
        #expect(try !work([:]) { $0.video.encoding = nil }.keepsPictures)
    }
}
