import Glibc
import Testing
import VTX

@Suite("Frames in DMA-BUFs", .serialized)
struct DMABufTests {
    private static let size = PixelSize(160, 96)
    private static let formats: [PixelFormat] = [.nv12, .i420, .bgra, .yuyv, .p010]

    @Test("a frame is read in place", arguments: formats)
    func reading(format: PixelFormat) throws {
        let original = try Pictures.moving(3, format: format)
        let picture = try SharedPicture(original).picture()
        #expect(picture.isOnSurface && picture.planeCount == 0 && picture.format == format)
        let copy = try picture.inMemory()
        for plane in 0..<original.planeCount {
            #expect(try copy.bytes(ofPlane: plane) == original.bytes(ofPlane: plane))
        }
    }

    private static func coded(
        _ pictures: [PixelBuffer], _ configuration: VideoEncoderConfiguration
    ) async throws -> [DecodedFrame] {
        let samples = try await Coding.encode(pictures, configuration)
        return try await Coding.decode(.h264) { for sample in samples { try await $0.decode(sample) } }.frames
    }

    @Test("software encodes them like frames in memory", arguments: formats)
    func encoding(format: PixelFormat) async throws {
        let originals = try (0..<4).map { try Pictures.moving($0, format: format) }
        let shared = try originals.map { try SharedPicture($0).picture() }
        let configuration = VideoEncoderConfiguration.small(.h264)
        // With several threads x264 is not always deterministic.
        let expected = try await Self.coded(originals, configuration)
        let encoded = try await Self.coded(shared, configuration)
        #expect(encoded.count == 4)
        for (one, other) in zip(encoded, expected) {
            #expect(try #require(one.pixelBuffer).psnr(against: #require(other.pixelBuffer)) > 34)
        }
    }

    @Test("the memory is released once, with the last reference, and no descriptor stays open")
    func release() async throws {
        var files: [SharedPicture] = []
        let released = Collected<Int>()
        var session: CompressionSession? = try CompressionSession(.small(.h264) { $0.isRealTime = true }) { _ in }
        for index in 0..<5 {
            files.append(try SharedPicture(try Pictures.moving(index)))
            let picture = try files[index].picture { released.add(index) }
            #expect(files[index].useCount == 1)
            try await session?.encode(picture, at: .frame(index))
        }
        try await session?.flush()
        session?.invalidate()
        session = nil
        #expect(released.all == [0, 1, 2, 3, 4])
        #expect(files.allSatisfy { $0.useCount == 0 })
    }

    @Test("a frame is scaled and rotated in place")
    func transfer() throws {
        let original = try Pictures.moving(1)
        let shared = try SharedPicture(original).picture()
        let session = try PixelTransferSession(PixelTransferConfiguration(size: PixelSize(80, 48), format: .bgra))
        #expect(try session.transfer(shared).bytes(ofPlane: 0) == session.transfer(original).bytes(ofPlane: 0))
        let turned = try PixelRotationSession(.rotated90).rotate(shared)
        #expect(turned.size == PixelSize(96, 160) && !turned.isOnSurface)
    }

    @Test(
        "memory that only a GPU can read fails its frame without one",
        arguments: [DMABufLayout.implicit, SharedPicture.tiled])
    func implicit(modifier: UInt64) async throws {
        let picture = try SharedPicture(try Pictures.moving(0)).picture(modifier: modifier)
        #expect(throws: SessionError.self) { try picture.inMemory() }
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.h264)) { collected.add($0) }
        try await session.encode(picture, at: .frame(0))
        try await session.encode(try Pictures.moving(1), at: .frame(1))
        try await session.flush()
        #expect(collected.all.map { $0.error?.code } == [.unsupportedFormat, nil])
    }

    @Test("planes outside the memory, and invalid descriptors, are refused")
    func refusals() throws {
        let shared = try SharedPicture(try Pictures.moving(0))
        func code(_ change: (inout DMABufLayout) -> Void, format: PixelFormat = .nv12) -> SessionError.Code? {
            var layout = shared.layout
            change(&layout)
            return #expect(throws: SessionError.self) {
                try PixelBuffer(layout, size: Self.size, format: format)
            }?.code
        }
        #expect(code { $0.planes[1].offset = 1 << 20 } == .badParameter)
        #expect(code { $0.planes[0].bytesPerRow = 100 } == .badParameter)
        #expect(code { $0.planes[1].object = 1 } == .badParameter)
        #expect(code { $0.planes.removeLast() } == .badParameter)
        #expect(code { $0.objects = [] } == .badParameter)
        func tiled(_ change: (inout DMABufLayout) -> Void) -> SessionError.Code? {
            code {
                $0.objects[0].modifier = SharedPicture.tiled
                change(&$0)
            }
        }
        #expect(tiled { $0.planes[1].offset = 1 << 20 } == .badParameter)
        #expect(tiled { $0.planes.removeLast() } == .badParameter)
        #expect(tiled { $0.planes += $0.planes + $0.planes } == .badParameter)
        #expect(code { $0.objects[0].descriptor = -1 } == .badParameter)
        #expect(code({ _ in }, format: .planar(.yuv420, bitDepth: 10)) == .unsupportedFormat)
        let inMemory = try Pictures.moving(0)
        #expect(throws: SessionError.self) { try inMemory.exportDMABuf() }
    }

    @Test("DRM formats, both ways")
    func names() {
        #expect(PixelFormat.nv12.drmFormat == 0x3231_564e)
        #expect(PixelFormat(drmFormat: 0x3432_5258) == .bgra && PixelFormat.bgra.drmFormat == 0x3432_5241)
        #expect(PixelFormat(drmFormat: 0x3030_3030) == nil)
    }
}

@Suite(
    "Pictures in DMA-BUFs, on a GPU", .serialized,
    .enabled(
        if: getenv("SOFTVA_DEVICES") != nil,
        "the software VA-API driver is not loaded; Tests/Support/SoftwareDriver/with-gpus loads it"))
struct DMABufOnGPUTests {
    private static let size = PixelSize(320, 192)

    private static func configuration(
        _ codec: VideoCodec = .h264, _ change: (inout VideoEncoderConfiguration) -> Void = { _ in }
    ) -> VideoEncoderConfiguration {
        var configuration = VideoEncoderConfiguration(size: size, bitrate: 4_000_000, codec: codec)
        configuration.hardware = .require
        configuration.device = "/dev/dri/renderD128"
        configuration.isRealTime = true
        change(&configuration)
        return configuration
    }

    private static func surfaces(_ count: Int) async throws -> [PixelBuffer] {
        let pictures = try (0..<count).map { try Pictures.gray(UInt8(40 + $0 * 9), size: size) }
        let samples = try await Coding.encode(pictures, .small(.h264) { $0.size = size })
        return try await Coding.decode(.h264) {
            $0.hardware = .require
            $0.device = "/dev/dri/renderD128"
            $0.keepsSurfaces = true
        } _: { session in
            for sample in samples { try await session.decode(sample) }
        }.frames.compactMap(\.pixelBuffer)
    }

    @Test(
        "frames are encoded in place, in the surfaces' format or any other",
        arguments: [
            PixelFormat.nv12, .i420, .bgra, .yuyv,
        ])
    func encoding(format: PixelFormat) async throws {
        let originals = try (0..<4).map { try Pictures.moving($0, size: Self.size, format: format) }
        let shared = try originals.map { try SharedPicture($0).picture() }
        let samples = try await Coding.encode(shared, Self.configuration())
        let expected = try await Coding.encode(originals, Self.configuration())
        #expect(samples.map(\.data) == expected.map(\.data))
    }

    @Test("the encoder reads the memory: data written before the frame is sent is encoded")
    func noCopy() async throws {
        let shared = try SharedPicture(try Pictures.moving(0, size: Self.size))
        let picture = try shared.picture()
        var samples: [Sample] = []
        for luma in [UInt8(60), 200] {
            shared.paint(luma)
            samples += try await Coding.encode([picture], Self.configuration())
        }
        let decoded = try await Coding.decode(.h264) { for sample in samples { try await $0.decode(sample) } }
        let lumas = try decoded.frames.map { Int(try #require($0.pixelBuffer).bytes(ofPlane: 0)[0]) }
        #expect(lumas.count == 2 && abs(lumas[0] - 60) < 4 && abs(lumas[1] - 200) < 4)
    }

    @Test("a frame of another size is scaled on the GPU")
    func scaling() async throws {
        let picture = try SharedPicture(try Pictures.moving(0, size: PixelSize(640, 384))).picture()
        let samples = try await Coding.encode([picture], Self.configuration())
        #expect(samples.first?.formatDescription.size == Self.size)
    }

    @Test(
        "a GPU's decoded frames can be exported to another session", arguments: VideoCodec.ofNALUnits)
    func roundTrip(codec: VideoCodec) async throws {
        let surfaces = try await Self.surfaces(6)
        #expect(surfaces.count == 6 && surfaces.allSatisfy(\.isOnSurface))
        let exports = try surfaces.map { try $0.exportDMABuf() }
        for (surface, export) in zip(surfaces, exports) {
            #expect(export.layout.isLinear && export.layout.planes.count == 2)
            let shared = try PixelBuffer(export.layout, size: surface.size, format: surface.format)
            #expect(try shared.inMemory().bytes(ofPlane: 0) == surface.inMemory().bytes(ofPlane: 0))
        }
        let shared = try zip(surfaces, exports).map { try PixelBuffer($1.layout, size: $0.size, format: $0.format) }
        let again = try await Coding.encode(shared, Self.configuration(codec))
        let expected = try await Coding.encode(surfaces, Self.configuration(codec))
        #expect(again.map(\.data) == expected.map(\.data))
    }

    @Test("an export retains its frame, and closes its descriptors")
    func exports() async throws {
        func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }
        var surfaces = try await Self.surfaces(1)
        let expected = try #require(surfaces.first).inMemory().bytes(ofPlane: 0)
        var export: ExportedDMABuf? = try surfaces.first?.exportDMABuf()
        let layout = try #require(export?.layout)
        surfaces = []
        let shared = try PixelBuffer(layout, size: Self.size, format: .nv12)
        #expect(try shared.inMemory().bytes(ofPlane: 0) == expected)
        #expect(isOpen(layout.objects[0].descriptor))
        export = nil
        #expect(!isOpen(layout.objects[0].descriptor))
        #expect(try shared.inMemory().bytes(ofPlane: 0) == expected, "it has a descriptor of its own")
    }

    @Test("memory with a driver-specific layout is accepted, and not read by the CPU")
    func implicit() async throws {
        let original = try Pictures.moving(0, size: Self.size)
        let picture = try SharedPicture(original).picture(modifier: DMABufLayout.implicit)
        let samples = try await Coding.encode([picture], Self.configuration())
        #expect(try await Coding.encode([original], Self.configuration()).map(\.data) == samples.map(\.data))
    }

    @Test("memory with a modifier has the layout of that modifier, in place", arguments: [PixelFormat.nv12, .p010])
    func tiled(format: PixelFormat) async throws {
        let original = try Pictures.moving(0, size: Self.size, format: format)
        let configuration = Self.configuration(format == .p010 ? .hevc : .h264)
        let shared = try SharedPicture(original, isUpsideDown: true)
        let released = Collected<Int>()
        let tiled = try await Coding.encode(
            [shared.picture(modifier: SharedPicture.tiled) { released.add(1) }], configuration)
        let expected = try await Coding.encode([original], configuration)
        #expect(tiled.map(\.data) == expected.map(\.data) && released.all == [1] && shared.useCount == 0)
        let linear = try await Coding.encode([shared.picture()], configuration)
        #expect(linear.map(\.data) != expected.map(\.data))
    }

    @Test("a modifier that the driver refuses fails its frame")
    func refusedModifier() async throws {
        let shared = try SharedPicture(try Pictures.moving(0, size: Self.size))
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(Self.configuration()) { collected.add($0) }
        for (index, modifier) in [DMABufLayout.implicit, SharedPicture.tiled + 1, DMABufLayout.linear].enumerated() {
            try await session.encode(try shared.picture(modifier: modifier), at: .frame(index))
        }
        try await session.flush()
        #expect(collected.all.map { $0.error?.code } == [nil, .unsupportedFormat, nil])
        #expect(collected.all[1].error?.message.contains("0x5f00000000000002") == true)
    }
}
