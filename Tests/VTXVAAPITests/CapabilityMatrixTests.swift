import Testing
import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

@testable import VTXVAAPI

/// Recorded capabilities of real drivers as a matrix.
@Suite("The capability matrix of a driver")
struct CapabilityMatrixTests {
    private static let folder =
        #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/Fixtures/capabilities"

    private static func answers(_ gpu: String) throws -> DriverCapabilities {
        try DriverCapabilities(text: try #require(SystemView.live.read("\(folder)/\(gpu).txt")))
    }

    private static func matrix(_ gpu: String) throws -> CapabilityMatrix {
        let node = RenderNode(path: "/dev/dri/renderD128", address: PCIAddress("03:00.0"))
        return VAAPICapabilities.matrix(of: node, try answers(gpu))
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

    @Test("HEVC keeps HDR10's metadata, even without packed headers; captions are never kept")
    func metadata() throws {
        for gpu in ["radeonsi-navi21", "ihd-free-tgl"] {
            let matrix = try Self.matrix(gpu)
            let (h264, hevc) = (matrix.encoder(.h264, .high), matrix.encoder(.hevc, .main10))
            #expect(h264?.keepsHDRMetadata == false && hevc?.keepsHDRMetadata == true)
            #expect(matrix.encoders.allSatisfy { !$0.keepsCaptions })
        }
    }

    @Test("only profiles with B frames have them")
    func bFrames() throws {
        let encoders = try Self.matrix("ihd-non-free-tgl").encoders
        #expect(encoders.filter(\.reordersFrames).map(\.profile).contains(.high))
        #expect(!encoders.filter(\.reordersFrames).map(\.profile).contains(.baseline))
        let lowPower = try Self.matrix("ihd-free-tgl").encoder(.hevc, .hevcMain)
        #expect(lowPower?.reordersFrames == false && lowPower?.reordersFramesOnRequest == true)
    }

    @Test(
        "i965 without its shaders lists encoders, but has none", arguments: ["bdw", "skl", "bxt", "kbl", "glk", "cfl"])
    func lacksShaders(gpu: String) throws {
        let (free, whole) = (try Self.answers("i965-free-\(gpu)"), try Self.answers("i965-shaders-\(gpu)"))
        #expect(free.lacksShaders && !free.encodesVideo && !whole.lacksShaders && whole.encodesVideo)
        #expect(
            try Self.matrix("i965-free-\(gpu)").encoders.isEmpty && !Self.matrix("i965-shaders-\(gpu)").encoders.isEmpty
        )
    }

    @Test("decoding has the reason if unsupported")
    func decoding() throws {
        let decoding = try Self.matrix("ihd-free-skl").decoding
        let (eight, ten) = (SurfaceFormat.nv12.pixelFormat, SurfaceFormat.p010.pixelFormat)
        #expect(decoding.obstacle(to: "h264", eight, PixelSize(1920, 1080)) == nil)
        #expect(decoding.obstacle(to: "h264", ten, PixelSize(1920, 1080))?.contains("10-bit 4:2:0 h264") == true)
        #expect(decoding.obstacle(to: "prores", eight, PixelSize(1920, 1080))?.contains("prores") == true)
        #expect(decoding.obstacle(to: "h264", eight, PixelSize(16384, 16384))?.contains("16384x16384") == true)
    }

    @Test("more than 4:2:0 is decoded if the driver lists it and libavcodec supports it")
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

    @Test("software decodes H.264 tools that drivers lack")
    func tools() throws {
        let decoding = try Self.matrix("ihd-free-tgl").decoding
        #expect(
            decoding.obstacle(
                to: "h264", SurfaceFormat.nv12.pixelFormat, PixelSize(320, 240), softwareTool: "slice groups")?
                .contains("slice groups of h264") == true)
    }

    @Test("a driver without a video processor only passes frames that need no filter")
    func noVideoProcessor() throws {
        #expect(try Self.matrix("ihd-free-skl").filtering == .nothing)
        guard case .some(let processing) = try Self.matrix("ihd-free-tgl").filtering else {
            return #expect(Bool(false), "Tiger Lake has a video processor")
        }
        #expect(processing.deinterlaces && processing.orientations.contains(.rotated90))
    }

    @Test("every driver whose video processor lists P010 filters 10 bits, with any RTFormat")
    func deepFilter() throws {
        let gpus = SystemView.live.list(Self.folder).map { String($0.dropLast(4)) }.filter { gpu in
            let surfaces = try? Self.answers(gpu).row(.none, .videoProc)?.surfaces
            return surfaces?.formats.contains(.p010) == true
        }
        #expect(gpus.contains { $0.hasPrefix("ihd") } && gpus.contains { $0.hasPrefix("radeonsi") })
        for gpu in gpus {
            guard case .some(let processing) = try Self.matrix(gpu).filtering else { continue }
            #expect(processing.pixelFormats.contains(SurfaceFormat.p010.pixelFormat), "\(gpu)")
        }
    }

    @Test("10-bit AV1 is decoded if AV1 is", arguments: ["radeonsi-navi21", "radeonsi-navi31", "ihd-free-tgl"])
    func av1(gpu: String) throws {
        let decoding = try Self.matrix(gpu).decoding
        #expect(decoding.obstacle(to: "av1", SurfaceFormat.p010.pixelFormat, PixelSize(1920, 1080)) == nil)
    }

    @Test("DG2 encodes AV1 in 8 and 10 bits without B frames, if libavcodec has an encoder")
    func encodesAV1() throws {
        #expect(try Self.matrix("ihd-free-tgl").encoder(.av1, .av1Main) == nil)
        let row = try Self.matrix("ihd-free-dg2").encoder(.av1, .av1Main)
        #expect((row != nil) == EncoderContext.exists("av1_vaapi"))
        guard let row else { return }
        #expect(row.pixelFormats?.map(\.bitDepth) == [8, 10] && row.keepsHDRMetadata && !row.reordersFrames)
        #expect(row.minSize == PixelSize(32, 32) && row.maxSize == PixelSize(8192, 8192))
    }

    @Test("every form of a device's name selects it")
    func selectors() throws {
        let names = try Self.matrix("ihd-free-tgl").selectors.map(\.description).sorted()
        #expect(names == ["/dev/dri/renderD128", "pci:0000:03:00.0"])
    }
}
