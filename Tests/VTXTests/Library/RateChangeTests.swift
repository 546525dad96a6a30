import Testing
import VTXMedia

@testable import VTX

@Suite("A bit rate that changes in mid-stream")
struct RateChangeTests {
    /// 48 frames at one rate, and from the 16th on at another rate.
    private func encode(
        _ codec: VideoCodec, gopSize: Int, forcedAt forced: Int? = nil, isLimited: Bool = false,
        from bitrate: Int = 2_000_000,
        _ change: (CompressionSession) throws -> Void = { try $0.set(.averageBitRate, to: 200_000) }
    ) async throws -> [Sample] {
        let collected = Collected<CompressionOutput>()
        let configuration = VideoEncoderConfiguration.small(codec) {
            $0.bitrate = bitrate
            $0.isRealTime = true
            $0.gopSize = gopSize
            if isLimited { $0.dataRateLimits = [DataRateLimit(byteCount: 500_000, seconds: 1)] }
        }
        let session = try CompressionSession(configuration) { collected.add($0) }
        for index in 0..<48 {
            if index == 16 { try change(session) }
            try await session.encode(
                try Self.picture(index), at: .frame(index), options: FrameOptions(forcesKeyFrame: index == forced))
        }
        try await session.flush()
        return collected.all.compactMap(\.sample)
    }

    /// Noise, a quarter of it new in each frame: it needs bits, without a scene change.
    private static func picture(_ index: Int) throws -> PixelBuffer {
        let (still, new) = (try Pictures.noise(0), try Pictures.noise(index))
        let planes = try (0..<2).map { (try still.bytes(ofPlane: $0), try new.bytes(ofPlane: $0)) }
        return try PixelBuffer(size: still.size, format: .nv12) { plane, bytes, bytesPerRow in
            let (old, fresh) = planes[plane]
            let width = 160
            for offset in 0..<old.count {
                let value = offset < old.count / 4 ? fresh[offset] : old[offset]
                bytes.storeBytes(of: value, toByteOffset: offset / width * bytesPerRow + offset % width, as: UInt8.self)
            }
        }
    }

    private func keyFrames(_ samples: [Sample]) -> [Int64] {
        samples.filter(\.isKeyFrame).map(\.presentationTime.ticks)
    }

    private func byteCount(_ samples: ArraySlice<Sample>) -> Int { samples.reduce(0) { $0 + $1.data.count } }

    @Test("x264 with a limit applies it at once, without a key frame")
    func atOnce() async throws {
        let samples = try await encode(.h264, gopSize: 150, isLimited: true) {
            try $0.set([
                "AverageBitRate": 200_000, "DataRateLimits": [DataRateLimit(byteCount: 50_000, seconds: 1)],
            ])
        }
        #expect(keyFrames(samples) == [0])
        #expect(byteCount(samples[32...]) * 3 < byteCount(samples[..<16]))
        let decoded = try await Coding.decode(.h264) { for sample in samples { try await $0.decode(sample) } }
        #expect(decoded.frames.count == samples.count && decoded.frames.allSatisfy { $0.error == nil })
    }

    @Test("x264 applies a lower average at once, and a higher one at the next key frame")
    func averageAlone() async throws {
        let lower = try await encode(.h264, gopSize: 150, isLimited: true)
        #expect(keyFrames(lower) == [0])
        #expect(byteCount(lower[32...]) * 3 < byteCount(lower[..<16]))
        let higher = try await encode(.h264, gopSize: 24, isLimited: true, from: 200_000) {
            try $0.set(.averageBitRate, to: 2_000_000)
        }
        #expect(keyFrames(higher) == [0, 24])
        #expect(byteCount(higher[32...]) > byteCount(higher[..<16]) * 3)
    }

    @Test(
        "otherwise the next regular key frame applies it",
        arguments: VideoCodec.ofNALUnits)
    func nextKeyFrame(codec: VideoCodec) async throws {
        let samples = try await encode(codec, gopSize: 24)
        #expect(samples.count == 48 && keyFrames(samples) == [0, 24])
        #expect(byteCount(samples[32...]) * 3 < byteCount(samples[..<16]))
    }

    @Test("a forced key frame applies it at once", arguments: VideoCodec.ofNALUnits)
    func forced(codec: VideoCodec) async throws {
        let samples = try await encode(codec, gopSize: 150, forcedAt: 16)
        #expect(samples.count == 48 && keyFrames(samples) == [0, 16])
        #expect(byteCount(samples[32...]) * 3 < byteCount(samples[..<16]))
    }

    @Test("another frame rate, or a quality, waits for the next key frame")
    func others() async throws {
        let faster = try await encode(.h264, gopSize: 24) { try $0.set(.expectedFrameRate, to: 60) }
        #expect(keyFrames(faster) == [0, 24])
        let coarse = try await encode(.h264, gopSize: 24) { try $0.set(.quality, to: Quality(5)) }
        #expect(keyFrames(coarse) == [0, 24])
        #expect(byteCount(coarse[32...]) * 2 < byteCount(coarse[..<16]))
    }
}
