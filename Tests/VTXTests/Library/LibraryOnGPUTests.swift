import Glibc
import Testing
import VTX
import VTXBitstream
import VTXFFmpeg
import VTXTestMedia

/// `Tests/Support/SoftwareDriver/with-gpus` gives a process GPUs of the software driver.
private let hasGPUs = getenv("SOFTVA_DEVICES") != nil

@Suite(
    "Sessions on a GPU",
    .enabled(
        if: hasGPUs, "the software VA-API driver is not loaded; Tests/Support/SoftwareDriver/with-gpus loads it"))
struct LibraryOnGPUTests {
    private static let device = "/dev/dri/renderD128"

    private static func configuration(
        _ codec: VideoCodec?, _ change: (inout VideoEncoderConfiguration) -> Void = { _ in }
    ) -> VideoEncoderConfiguration {
        var configuration = VideoEncoderConfiguration(size: PixelSize(320, 192), bitrate: 2_000_000, codec: codec)
        configuration.hardware = .require
        configuration.device = device
        change(&configuration)
        return configuration
    }

    private static func pictures(_ count: Int) throws -> [PixelBuffer] {
        try (0..<count).map { try Pictures.moving($0, size: PixelSize(320, 192)) }
    }

    @Test(
        "frames are encoded there, and decoded in software", arguments: VideoCodec.ofNALUnits, [false, true])
    func encode(codec: VideoCodec, isRealTime: Bool) async throws {
        let lumas = (0..<20).map { UInt8(40 + $0 * 9) }
        let pictures = try lumas.map { try Pictures.gray($0, size: PixelSize(320, 192)) }
        let samples = try await Coding.encode(pictures, Self.configuration(codec) { $0.isRealTime = isRealTime })
        #expect(samples.count == 20)
        #expect(
            (samples.map(\.presentationTime.ticks) == Array(0..<20)) == isRealTime, "B frames come out in another order"
        )
        let decoded = try await Coding.decode(codec) { for sample in samples { try await $0.decode(sample) } }
        #expect(decoded.frames.map(\.presentationTime) == (0..<20).map { .frame($0) })
        for (frame, luma) in zip(decoded.frames, lumas) {
            let first = try #require(frame.pixelBuffer).bytes(ofPlane: 0)[0]
            // The driver's B frames are the mean of two others.
            #expect(abs(Int(first) - Int(luma)) < (isRealTime ? 3 : 6))
        }
    }

    @Test("hardware support can be queried, and the encoder in use can be read")
    func choice() async throws {
        let session = try CompressionSession(Self.configuration(nil)) { _ in }
        #expect(session.codec == .hevc && !session.isUsingHardware)
        try await session.prepare()
        #expect(session.isUsingHardware)
        #expect(try session.value(of: .usingHardwareAcceleratedVideoEncoder))
        #expect(try session.value(of: .encoderID)?.contains("renderD128") == true)
    }

    @Test(
        "the stream has the requested level",
        arguments: [ProfileLevel(.baseline, 3.1), ProfileLevel(.high, 4), ProfileLevel(.hevcMain, 4.1)])
    func level(wanted: ProfileLevel) async throws {
        let configuration = Self.configuration(wanted.profile.codec) {
            ($0.profile, $0.level) = (wanted.profile, wanted.level)
        }
        let samples = try await Coding.encode(try Self.pictures(4), configuration)
        #expect(samples.count == 4)
        for sample in samples { #expect(sample.formatDescription.levelName == wanted.level?.description) }
    }

    @Test("half of the frames are the base layer, and are decoded alone", arguments: VideoCodec.ofNALUnits)
    func layers(codec: VideoCodec) async throws {
        try await TemporalLayerTests.expectLayers(Self.configuration(codec) { $0.baseLayerFrameRateFraction = 0.5 })
    }

    @Test("real time delays at most one frame", arguments: VideoCodec.ofNALUnits)
    func realTime(codec: VideoCodec) async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(Self.configuration(codec) { $0.isRealTime = true }) { collected.add($0) }
        for (index, picture) in try Self.pictures(10).enumerated() {
            try await session.encode(picture, at: .frame(index))
            #expect(collected.all.count >= index)
        }
    }

    @Test("regions that the driver does not support fail their frame with an error", arguments: VideoCodec.ofNALUnits)
    func regions(codec: VideoCodec) async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(Self.configuration(codec)) { collected.add($0) }
        let region = RegionOfInterest(x: 0, y: 0, size: PixelSize(64, 64), qpOffset: -6)
        for (index, picture) in try Self.pictures(6).enumerated() {
            let options = FrameOptions(regions: index == 3 ? [region] : [])
            try await session.encode(picture, at: .frame(index), options: options)
        }
        try await session.flush()
        let failed = collected.all.filter { $0.sample == nil }
        #expect(collected.all.count == 6 && failed.map(\.presentationTime) == [.frame(3)])
        #expect(failed.first?.error?.code == .propertyNotSupported)
    }

    @Test("data-rate limits are kept in every window", arguments: VideoCodec.ofNALUnits, [false, true])
    func limits(codec: VideoCodec, isRealTime: Bool) async throws {
        let limits = [DataRateLimit(byteCount: 400_000 * 3 / 16, seconds: 1)]
        let configuration = Self.configuration(codec) {
            $0.size = PixelSize(160, 96)
            $0.bitrate = 400_000
            $0.isRealTime = isRealTime
            $0.dataRateLimits = limits
        }
        // With B frames, sizes are known late, and the driver makes this noise no smaller: much has to be dropped.
        try await Coding.expectKept(limits, by: configuration, frameCount: (isRealTime ? 60 : 30)...120)
    }

    @Test("frames of the session's pool are on surfaces, and encoded from there")
    func pool() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(Self.configuration(.h264)) { collected.add($0) }
        let pool = try await session.pixelBufferPool()
        for index in 0..<8 {
            let picture = try pool.makeBuffer { _, bytes, _ in
                for offset in 0..<bytes.byteCount {
                    bytes.storeBytes(of: UInt8(100 + index), toByteOffset: offset, as: UInt8.self)
                }
            }
            #expect(picture.isOnSurface && picture.planeCount == 0)
            #expect(throws: SessionError.self) { _ = try picture.bytes(ofPlane: 0) }
            #expect(try picture.inMemory().bytes(ofPlane: 0).allSatisfy { $0 == UInt8(100 + index) })
            try await session.encode(picture, at: .frame(index))
        }
        try await session.flush()
        #expect(collected.all.compactMap(\.sample).count == 8)
    }

    @Test(
        "frames are decoded there, into memory or onto surfaces for another session",
        arguments: VideoCodec.ofNALUnits)
    func decode(codec: VideoCodec) async throws {
        let pictures = try (0..<16).map { try Pictures.gray(UInt8(40 + $0 * 9), size: PixelSize(320, 192)) }
        let samples = try await Coding.encode(pictures, .small(codec) { $0.size = PixelSize(320, 192) })
        func decode(_ keepsSurfaces: Bool) async throws -> [DecodedFrame] {
            try await Coding.decode(codec) {
                $0.hardware = .require
                $0.device = Self.device
                $0.keepsSurfaces = keepsSurfaces
            } _: { session in
                for sample in samples { try await session.decode(sample) }
                #expect(session.isUsingHardware)
            }.frames
        }
        for (frame, picture) in zip(try await decode(false), pictures) {
            let decoded = try #require(frame.pixelBuffer)
            #expect(try !decoded.isOnSurface && decoded.psnr(against: picture) > 34)
        }
        let onSurfaces = try await decode(true).compactMap(\.pixelBuffer)
        #expect(onSurfaces.count == 16 && onSurfaces.allSatisfy(\.isOnSurface))
        let again = try await Coding.encode(onSurfaces, Self.configuration(codec) { $0.openBFrame = false })
        let decodedAgain = try await Coding.decode(codec) { for sample in again { try await $0.decode(sample) } }
        for (frame, picture) in zip(decodedAgain.frames, pictures) {
            #expect(try #require(frame.pixelBuffer).psnr(against: picture) > 34)
        }
        #expect(again.count == 16 && decodedAgain.frames.count == 16)
    }

    @Test("frames on surfaces are scaled and rotated there, and in memory if the GPU cannot")
    func transfers() async throws {
        let pictures = try (0..<4).map { try Pictures.moving($0, size: PixelSize(320, 192)) }
        let samples = try await Coding.encode(pictures, .small(.h264) { $0.size = PixelSize(320, 192) })
        let frames = try await Coding.decode(.h264) {
            $0.hardware = .require
            $0.device = Self.device
            $0.keepsSurfaces = true
        } _: { session in
            for sample in samples { try await session.decode(sample) }
        }.frames
        let surface = try #require(frames.first?.pixelBuffer)
        let memory = try surface.inMemory()
        let sessions = [
            (try PixelTransferSession(PixelTransferConfiguration(size: PixelSize(160, 96))).transfer, true),
            (try PixelTransferSession(PixelTransferConfiguration(format: .bgra)).transfer, false),
            (PixelRotationSession(.rotated90).rotate, true),
        ]
        for (make, isOnSurface) in sessions {
            let (made, expected) = (try make(surface), try make(memory))
            #expect(surface.isOnSurface && made.isOnSurface == isOnSurface)
            #expect(made.size == expected.size && made.format.hasSamples(like: expected.format))
            #expect(try made.inMemory().psnr(against: expected) > 28)
        }
    }

    @Test("after lost pictures, every wrong frame is marked", arguments: VideoCodec.ofNALUnits, 0..<4)
    func lostPictures(codec: VideoCodec, seed: Int) async throws {
        try await LossyStream(codec).expectHonesty(losing: 20, seed: seed) {
            $0.hardware = .require
            $0.device = Self.device
        }
    }

    @Test("a Baseline stream without the Constrained Baseline flag is decoded there")
    func plainBaseline() async throws {
        let packets = try VideoRecipe { $0.options = [("preset", "veryfast"), ("profile", "baseline")] }
            .encode(globalHeader: false).packets
        let frames = try await Coding.decode(.h264) {
            $0.hardware = .require
            $0.device = Self.device
        } _: { session in
            for packet in packets {
                var bytes = Array(packet.bytes)
                let sets = AnnexB.units(in: bytes.span.bytes, codec: .h264).filter(\.isSPS)
                // The byte after profile_idc.
                for set in sets { bytes[set.range.lowerBound + 2] = 0 }
                try await session.decode(annexB: bytes, at: packet.presentationTime)
            }
            #expect(session.isUsingHardware)
        }.frames
        #expect(frames.count == 25 && frames.allSatisfy { $0.error == nil })
    }

    @Test("frames of any kind are converted", arguments: PixelBuffer.formats, ScalingMode.allCases)
    func shapes(format: PixelFormat, mode: ScalingMode) async throws {
        let pictures = try (0..<3).map { try Pictures.moving($0, size: PixelSize(400, 150), format: format) }
        let samples = try await Coding.encode(pictures, Self.configuration(.h264) { $0.scalingMode = mode })
        #expect(samples.count == 3 && samples.first?.formatDescription.size == PixelSize(320, 192))
    }

    @Test("a client that keeps every surface gets an error for each frame without one, and the session continues")
    func hoarding() async throws {
        let samples = try await Coding.encode(
            try (0..<120).map { try Pictures.gray(UInt8(40 + $0), size: PixelSize(320, 192)) },
            .small(.h264) {
                $0.size = PixelSize(320, 192)
                $0.gopSize = 10
            })
        let kept = Collected<PixelBuffer>()
        var configuration = VideoDecoderConfiguration(codec: .h264)
        configuration.keepsSurfaces = true
        configuration.device = Self.device
        let reported = Collected<SessionError?>()
        let session = try DecompressionSession(configuration) { frame in
            reported.add(frame.error)
            if let picture = frame.pixelBuffer { kept.add(picture) }
        }
        for sample in samples { try await session.decode(sample) }
        try await session.flush()
        let dropped = try session.value(of: .numberOfFramesDropped)
        #expect(reported.all.count + dropped == 120)
        // FFmpeg 7.1 makes surfaces as long as the driver gives them; before, a decoder has a fixed number.
        #expect(
            kept.all.count == 120 || reported.all.contains { $0?.code == .allocationFailed },
            "it is not the data's fault")
        #expect(kept.all.count >= DecompressionSession.maxUnreadFrames)
        #expect(kept.all.prefix(DecompressionSession.maxUnreadFrames).allSatisfy { $0.isOnSurface })
    }

    @Test("refreshing reopens the device, and frames on the old one stay valid")
    func refresh() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(Self.configuration(.hevc)) { collected.add($0) }
        let pool = try await session.pixelBufferPool()
        for index in 0..<12 {
            if index == 5 { session.refresh() }
            let picture = try pool.makeBuffer { _, bytes, _ in
                for offset in 0..<bytes.byteCount { bytes.storeBytes(of: 90, toByteOffset: offset, as: UInt8.self) }
            }
            #expect(picture.isOnSurface)
            try await session.encode(picture, at: .frame(index))
        }
        try await session.flush()
        let samples = collected.all.compactMap(\.sample)
        #expect(samples.count == 12 && session.isUsingHardware)
        #expect(samples.filter(\.isKeyFrame).map(\.presentationTime.ticks) == [0, 5])
    }
}
