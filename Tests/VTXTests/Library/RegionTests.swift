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

    @Test("x265 has none, and only the frame fails")
    func x265() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.hevc)) { collected.add($0) }
        let region = RegionOfInterest(x: 0, y: 0, size: Self.left, qpOffset: -6)
        for index in 0..<3 {
            let options = FrameOptions(regions: index == 1 ? [region] : [])
            try await session.encode(try Pictures.moving(index), at: .frame(index), options: options)
        }
        try await session.flush()
        let failed = collected.all.filter { $0.sample == nil }
        #expect(collected.all.count == 3 && failed.map(\.presentationTime) == [.frame(1)])
        #expect(failed.first?.error?.code == .propertyNotSupported)
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
