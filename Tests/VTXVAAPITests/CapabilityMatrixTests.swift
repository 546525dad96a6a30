import Testing
import VTXFFmpeg
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

    @Test("more than 4:2:0 is decoded where the driver lists it, and this libavcodec asks for it")
    func samplings() throws {
        let decoding = try Self.matrix("ihd-free-tgl").decoding
        func obstacle(_ codec: String, _ chroma: ChromaSampling, _ bitDepth: Int) -> String? {
            decoding.obstacle(to: codec, .planar(chroma, bitDepth: bitDepth), PixelSize(1920, 1080))
        }
        for chroma in [ChromaSampling.yuv420, .yuv422, .yuv444] { #expect(obstacle("mjpeg", chroma, 8) == nil) }
        #expect(obstacle("hevc", .yuv422, 8) == nil && obstacle("hevc", .yuv422, 10) == nil)
        let is60 = FFmpegVersions.libavcodecMajor >= 60
        for (codec, depth) in [("hevc", 8), ("hevc", 10), ("vp9", 8), ("vp9", 10)] {
            #expect((obstacle(codec, .yuv444, depth) == nil) == is60)
        }
        #expect(obstacle("h264", .yuv422, 8)?.contains("4:2:2 h264") == true)
        let amd = try Self.matrix("radeonsi-navi21").decoding
        #expect(amd.obstacle(to: "mjpeg", .planar(.yuv420, bitDepth: 8), PixelSize(1920, 1080)) == nil)
        #expect(amd.obstacle(to: "hevc", .planar(.yuv422, bitDepth: 8), PixelSize(1920, 1080)) != nil)
    }

    @Test("tools of H.264 that drivers do not have stay with software")
    func tools() throws {
        let decoding = try Self.matrix("ihd-free-tgl").decoding
        #expect(
            decoding.obstacle(
                to: "h264", SurfaceFormat.nv12.pixelFormat, PixelSize(320, 240), softwareTool: "slice groups")?
                .contains("slice groups of h264") == true)
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
