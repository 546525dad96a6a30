import Testing
import VTXLibVA
import VTXMedia
import VTXSession

@testable import VTXVAAPI

/// What the real drivers of GPUs that are not here answered, as a matrix.
@Suite("What a driver's answers mean")
struct CapabilityMatrixTests {
    private static func matrix(_ gpu: String) throws -> CapabilityMatrix {
        let folder = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/Fixtures/capabilities"
        let text = try #require(SystemView.live.read("\(folder)/\(gpu).txt"))
        let node = RenderNode(path: "/dev/dri/renderD128", address: PCIAddress("03:00.0"))
        return VAAPICapabilities.matrix(of: node, try DriverCapabilities(text: text))
    }

    @Test(
        "the profiles that each GPU encodes",
        arguments: [
            ("ihd-free-skl", [VideoProfile.baseline, .h264Main, .high]),
            ("ihd-free-tgl", [.baseline, .h264Main, .high, .hevcMain, .main10]),
            ("ihd-free-dg2", [.baseline, .h264Main, .high, .hevcMain, .main10]),
            ("ihd-non-free-skl", [.baseline, .h264Main, .high, .hevcMain]),
            ("radeonsi-polaris10", [.baseline, .h264Main, .high, .hevcMain]),
            ("radeonsi-navi21", [.baseline, .h264Main, .high, .hevcMain, .main10]),
            ("radeonsi-navi24", []),
        ])
    func profiles(gpu: String, expected: [VideoProfile]) throws {
        let encoded = Set(try Self.matrix(gpu).encoders.map(\.profile))
        #expect(encoded.isSuperset(of: expected))
        #expect(encoded.contains(.main10) == expected.contains(.main10))
        #expect(encoded.contains(.hevcMain) == expected.contains(.hevcMain))
    }

    @Test("a driver without packed headers keeps neither captions nor HDR metadata")
    func noPackedHeaders() throws {
        let row = try #require(try Self.matrix("radeonsi-navi21").encoder(.h264, .high))
        #expect(!row.keepsCaptions && !row.keepsHDRMetadata && !row.reordersFrames)
    }

    @Test("decoding says what stands in its way")
    func decoding() throws {
        let decoding = try Self.matrix("ihd-free-skl").decoding
        let (eight, ten) = (SurfaceFormat.nv12.pixelFormat, SurfaceFormat.p010.pixelFormat)
        #expect(decoding.obstacle(to: "h264", eight, PixelSize(1920, 1080)) == nil)
        #expect(decoding.obstacle(to: "h264", ten, PixelSize(1920, 1080))?.contains("10-bit 4:2:0 h264") == true)
        #expect(decoding.obstacle(to: "prores", eight, PixelSize(1920, 1080))?.contains("prores") == true)
        #expect(decoding.obstacle(to: "h264", eight, PixelSize(16384, 16384))?.contains("16384x16384") == true)
    }

    @Test("a driver without a video processor filters nothing, and lets pass what needs nothing")
    func noVideoProcessor() throws {
        #expect(try Self.matrix("ihd-free-skl").filtering == .nothing)
        guard case .some(let processing) = try Self.matrix("ihd-free-tgl").filtering else {
            return #expect(Bool(false), "Tiger Lake has a video processor")
        }
        #expect(processing.deinterlaces && processing.orientations.contains(.rotated90))
    }

    @Test("every way to name a device selects it")
    func selectors() throws {
        let names = try Self.matrix("ihd-free-tgl").selectors.map(\.description).sorted()
        #expect(names == ["/dev/dri/renderD128", "pci:0000:03:00.0"])
    }
}
