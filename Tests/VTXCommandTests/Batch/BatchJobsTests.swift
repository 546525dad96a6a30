import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestValues

@testable import VTXCommand

@Suite("The number of parallel jobs of a batch")
struct BatchJobsTests {
    private static let large = Int64(1) << 40

    private static func jobs(
        _ size: PixelSize = PixelSize(1920, 1080), cores: Int = 32, memory: Int64 = large, inputs: Int = 100,
        isCut: Bool = false, _ change: (inout TranscodePlan) -> Void = { _ in }
    ) -> BatchJobs {
        var plan = TranscodePlan.example()
        plan.video.encoding?.device = DeviceID("software")
        plan.video.encoding?.laneDevices = []
        plan.video.encoding?.encoder.size = size
        change(&plan)
        return BatchJobs(plan, isCut: isCut, inputs: inputs, on: Machine(cores: cores, memory: memory))
    }

    @Test(
        "in software, as many as keep the cores busy",
        arguments: [(1080, 32, 4), (1080, 8, 1), (1080, 2, 1), (2160, 32, 2), (480, 12, 4), (96, 4, 4)])
    func cores(height: Int, cores: Int, count: Int) {
        #expect(Self.jobs(PixelSize(height * 16 / 9, height), cores: cores).count == count)
    }

    @Test("memory and the number of inputs limit them")
    func bounds() {
        let short = Self.jobs(memory: 4 << 30)
        #expect(short.count == 2 && short.reason.contains("memory"))
        let few = Self.jobs(cores: 64, inputs: 3)
        #expect(few.count == 3 && few.reason == "there are no more inputs")
    }

    @Test("each GPU gets two")
    func gpus() {
        let one = Self.jobs(cores: 2) { $0.video.encoding?.device = DeviceID("/dev/dri/renderD128") }
        #expect(one.count == 2 && one.reason == "two for the GPU")
        let nodes = ["/dev/dri/renderD128", "/dev/dri/renderD129"].map { DeviceID($0) }
        let two = Self.jobs {
            $0.video.encoding?.device = nodes[0]
            $0.video.encoding?.laneDevices = nodes + nodes
        }
        #expect(two.count == 4)
    }

    @Test("copied video and segments do not count as an encoder")
    func others() {
        #expect(Self.jobs { $0.video.encoding = nil }.count == 2)
        #expect(Self.jobs(isCut: true).count == 1)
    }

    @Test("a number or auto", arguments: [("auto", JobCount.auto), ("1", .count(1)), ("64", .count(64))])
    func words(text: String, count: JobCount) {
        let type = ValueType<JobCount>.jobs
        #expect(type.read(text) == count && type.write(count) == text)
        #expect(["0", "65", "all", "-1", ""].allSatisfy { type.read($0) == nil })
    }
}
