import Testing
import VTXMedia

@testable import VTX

@Suite("Regions of interest")
struct RegionTests {
    private static let left = PixelSize(80, 96)

    /// 24 frames of noise, at one bit rate or quality.
    private func encode(
        _ codec: VideoCodec, _ regions: [RegionOfInterest], scale: Int = 1,
        _ change: (inout VideoEncoderConfiguration) -> Void = { $0.quality = Quality(60) }
    ) async throws -> (samples: [Sample], errors: (left: Int, right: Int)) {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(codec, change)) { collected.add($0) }
        let pictures = try (0..<24).map { try Pictures.noise($0) }
        for (index, picture) in pictures.enumerated() {
            let large = try PixelTransferSession(
                PixelTransferConfiguration(size: PixelSize(160 * scale, 96 * scale))
            ).transfer(picture)
            try await session.encode(large, at: .frame(index), options: FrameOptions(regions: regions))
        }
        try await session.flush()
        #expect(collected.all.allSatisfy { $0.sample != nil })
        let samples = collected.all.compactMap(\.sample)
        let decoded = try await Coding.decode(codec) { for sample in samples { try await $0.decode(sample) } }
        var errors = (left: 0, right: 0)
        for (frame, picture) in zip(decoded.frames, pictures) {
            let halves = try Self.errors(try #require(frame.pixelBuffer), picture)
            errors = (errors.left + halves.left, errors.right + halves.right)
        }
        return (samples, errors)
    }

    /// Squared errors of the luma.
    private static func errors(_ decoded: PixelBuffer, _ original: PixelBuffer) throws -> (left: Int, right: Int) {
        var errors = (left: 0, right: 0)
        let pairs = zip(try decoded.bytes(ofPlane: 0), try original.bytes(ofPlane: 0))
        for (index, (value, wanted)) in pairs.enumerated() {
            let error = (Int(value) - Int(wanted)) * (Int(value) - Int(wanted))
            if index % 160 < left.width { errors.left += error } else { errors.right += error }
        }
        return errors
    }

    private func byteCount(_ samples: [Sample]) -> Int { samples.reduce(0) { $0 + $1.data.count } }

    @Test("the left half is better and the right half worse, at the same rate")
    func equalRate() async throws {
        let regions = [
            RegionOfInterest(x: 0, y: 0, size: Self.left, qpOffset: -6),
            RegionOfInterest(x: 80, y: 0, size: Self.left, qpOffset: 6),
        ]
        let rate: (inout VideoEncoderConfiguration) -> Void = {
            $0.bitrate = 3_000_000
            $0.openBFrame = false
        }
        let (plain, marked) = (try await encode(.h264, [], rate), try await encode(.h264, regions, rate))
        let (before, after) = (plain.errors, marked.errors)
        let sizes = (byteCount(plain.samples), byteCount(marked.samples))
        #expect(after.left * 3 < before.left * 2 && after.right > before.right, "\(before), \(after)")
        #expect(sizes.1 < sizes.0 * 5 / 4 && sizes.0 < sizes.1 * 5 / 4, "\(sizes)")
    }

    @Test("they are in coordinates of the encoded frame, for any input size")
    func scaled() async throws {
        let region = RegionOfInterest(x: 0, y: 0, size: Self.left, qpOffset: -12)
        let errors = try await encode(.h264, [region], scale: 2).errors
        #expect(errors.left * 3 < errors.right * 2, "\(errors)")
    }

    @Test("of two that overlap, the first one applies")
    func overlap() async throws {
        let regions = [
            RegionOfInterest(x: 0, y: 0, size: Self.left, qpOffset: -6),
            RegionOfInterest(x: 0, y: 0, size: PixelSize(160, 96), qpOffset: 6),
        ]
        let errors = try await encode(.h264, regions).errors
        #expect(errors.left * 2 < errors.right, "\(errors)")
    }

    @Test("one over the whole frame shifts the quantizer, also in 10 bits", arguments: [nil, VideoProfile.high10])
    func whole(profile: VideoProfile?) async throws {
        func size(_ offset: Int) async throws -> Int {
            let region = RegionOfInterest(x: 0, y: 0, size: PixelSize(160, 96), qpOffset: offset)
            let configuration = VideoEncoderConfiguration.small(.h264) {
                $0.profile = profile
                $0.quality = Quality(60)
            }
            let session = try CompressionSession(configuration)
            async let samples = session.samples.reduce(into: []) { $0.append($1) }
            for index in 0..<8 {
                try await session.encode(
                    try Pictures.noise(index), at: .frame(index), options: FrameOptions(regions: [region]))
            }
            try await session.flush()
            session.invalidate()
            return byteCount(try await samples)
        }
        let sizes = (try await size(6), try await size(0), try await size(-6))
        #expect(sizes.0 * 5 < sizes.1 * 4 && sizes.1 * 5 < sizes.2 * 4, "\(sizes)")
    }

    @Test("an offset of single frames changes only those", arguments: VideoCodec.ofNALUnits)
    func offset(codec: VideoCodec) async throws {
        func sizes(_ offset: Int) async throws -> [Int] {
            let collected = Collected<CompressionOutput>()
            let session = try CompressionSession(
                .small(codec) { ($0.quality, $0.isRealTime) = (Quality(60), true) }
            ) { collected.add($0) }
            for index in 0..<24 {
                let options = FrameOptions(qpOffset: index % 4 == 3 ? offset : 0)
                try await session.encode(try Pictures.noise(index), at: .frame(index), options: options)
            }
            try await session.flush()
            return collected.all.compactMap { $0.sample?.byteCount }
        }
        let (coarse, plain, fine) = (try await sizes(12), try await sizes(0), try await sizes(-12))
        #expect(plain.count == 24 && coarse.count == 24 && fine.count == 24)
        for index in stride(from: 3, to: 24, by: 4) {
            #expect(coarse[index] * 3 < plain[index] * 2 && plain[index] * 3 < fine[index] * 2)
            #expect(coarse[index - 1] * 2 > plain[index - 1] && plain[index - 1] * 2 > fine[index - 1])
        }
    }

    @Test("some frames of x265 have regions, and others none")
    func x265() async throws {
        let (plain, marked) = (try await encode(.hevc, []), try await encode(.hevc, [.left(-12)]))
        #expect(marked.errors.left * 3 < plain.errors.left * 2, "\(plain.errors), \(marked.errors)")
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.hevc) { $0.openBFrame = true }) { collected.add($0) }
        for index in 0..<120 {
            let options = FrameOptions(regions: index % 3 == 1 ? [] : [.left(-6)])
            try await session.encode(try Pictures.moving(index), at: .frame(index), options: options)
        }
        try await session.flush()
        #expect(collected.all.count == 120 && collected.all.allSatisfy { $0.sample != nil })
    }

    @Test("an offset out of range is refused")
    func offsetRange() async throws {
        let session = try CompressionSession(.small(.h264))
        let error = await #expect(throws: SessionError.self) {
            try await session.encode(try Pictures.moving(0), at: .frame(0), options: FrameOptions(qpOffset: 52))
        }
        #expect(error?.code == .badParameter)
    }

    @Test(
        "regions outside the frame, empty ones, and too many are refused, and the session continues",
        arguments: [
            RegionOfInterest(x: -1, y: 0, size: PixelSize(16, 16), qpOffset: 1),
            RegionOfInterest(x: 0, y: 90, size: PixelSize(16, 16), qpOffset: 1),
            RegionOfInterest(x: 0, y: 0, size: PixelSize(0, 16), qpOffset: 1),
            RegionOfInterest(x: .max, y: .max, size: PixelSize(1, 1), qpOffset: 1),
            RegionOfInterest(x: 0, y: 0, size: PixelSize(.max, .max), qpOffset: 1),
            RegionOfInterest(x: 0, y: 0, size: PixelSize(16, 16), qpOffset: 52),
            RegionOfInterest(x: 0, y: 0, size: PixelSize(16, 16), qpOffset: .min),
        ])
    func refused(region: RegionOfInterest) async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.h264)) { collected.add($0) }
        let picture = try Pictures.moving(0)
        let error = await #expect(throws: SessionError.self) {
            try await session.encode(picture, at: .frame(0), options: FrameOptions(regions: [region]))
        }
        #expect(error?.code == .badParameter && error?.message.contains("allowed: ") == true)
        try await session.encode(picture, at: .frame(0))
        try await session.flush()
        #expect(collected.all.map { $0.sample?.presentationTime } == [.frame(0)])
    }
}

extension RegionOfInterest {
    fileprivate static func left(_ qpOffset: Int) -> RegionOfInterest {
        RegionOfInterest(x: 0, y: 0, size: PixelSize(80, 96), qpOffset: qpOffset)
    }
}
