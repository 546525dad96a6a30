import Testing
import VTXMedia
import VTXSession

@testable import VTXVAAPI

@Suite("The backend finds its GPUs", .onSoftwareGPU)
struct VAAPIBackendTests {
    @Test("four of them, each with what its driver lists")
    func probe() throws {
        let matrices = SoftwareGPU.four.map(\.matrix)
        try #require(matrices.count == 4)
        #expect(matrices.map(\.device.name) == (128...131).map { "/dev/dri/renderD\($0)" })
        #expect(matrices.allSatisfy { $0.isHardware && $0.encodes(.h264) && $0.encodes(.hevc) })
        #expect(matrices.allSatisfy { $0.encoder(.hevc, .main10)?.keepsHDRMetadata == true })
        #expect(matrices.map { $0.encoder(.h264, .high)?.reordersFrames } == [true, false, false, true])
        #expect(matrices.map { $0.filtering == .nothing } == [false, false, true, false])
    }
}
