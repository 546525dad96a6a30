import Testing
import VTX
import VTXSystem

@testable import VTX

extension MediaTime {
    /// A frame's time at 30 frames a second.
    static func frame(_ index: Int) -> MediaTime { MediaTime(Int64(index), Rational(1, 30)) }
}

/// Collects from a handler.
final class Collected<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
    var all: [Element] { elements.withLock { $0 } }
}

extension VideoEncoderConfiguration {
    /// 160x96 in software, quickly.
    static func small(_ codec: VideoCodec, _ change: (inout Self) -> Void = { _ in }) -> Self {
        var configuration = VideoEncoderConfiguration(size: PixelSize(160, 96), bitrate: 800_000, codec: codec)
        configuration.preset = .fast
        configuration.hardware = .off
        change(&configuration)
        return configuration
    }
}

enum Coding {
    /// Encodes pictures at 30 frames a second.
    static func encode(
        _ pictures: [PixelBuffer], _ configuration: VideoEncoderConfiguration, keys: Set<Int> = []
    ) async throws -> [Sample] {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(configuration) { collected.add($0) }
        for (index, picture) in pictures.enumerated() {
            try await session.encode(
                picture, at: .frame(index), duration: MediaTime(1, Rational(1, 30)),
                options: FrameOptions(forcesKeyFrame: keys.contains(index)))
        }
        try await session.flush()
        let lost = collected.all.filter { $0.sample == nil }
        #expect(lost.isEmpty, "\(lost.map(\.status))")
        return collected.all.compactMap(\.sample)
    }

    /// Decodes with a session in software.
    static func decode(
        _ codec: VideoCodec, _ change: (inout VideoDecoderConfiguration) -> Void = { _ in },
        _ body: (DecompressionSession) async throws -> Void
    ) async throws -> (frames: [DecodedFrame], session: DecompressionSession) {
        var configuration = VideoDecoderConfiguration(codec: codec)
        configuration.hardware = .off
        change(&configuration)
        let collected = Collected<DecodedFrame>()
        let session = try DecompressionSession(configuration) { collected.add($0) }
        try await body(session)
        try await session.flush()
        return (collected.all, session)
    }

    static func stream(_ samples: [Sample]) throws -> [UInt8] { try samples.flatMap { try $0.annexB() } }

    /// Encodes simple frames, then noise, which exceeds the limit.
    ///
    /// - Parameter frameCount: the minimum of 120 frames that are not dropped.
    static func expectKept(
        _ limits: [DataRateLimit], by configuration: VideoEncoderConfiguration, frameCount: ClosedRange<Int>
    ) async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(configuration) { collected.add($0) }
        for index in 0..<120 {
            let isQuiet = index % 60 < 30
            let picture =
                try isQuiet
                ? Pictures.moving(index, size: configuration.size) : Pictures.noise(index, size: configuration.size)
            try await session.encode(picture, at: .frame(index))
        }
        try await session.flush()
        let sizes = collected.all.compactMap(\.sample).map { ($0.presentationTime.seconds, $0.data.count) }
        #expect(collected.all.count == 120 && frameCount.contains(sizes.count), "\(sizes.count)")
        for (start, _) in sizes {
            for limit in limits {
                let window = sizes.filter { $0.0 >= start && $0.0 < start + limit.seconds - 1e-9 }
                #expect(window.reduce(0) { $0 + $1.1 } <= limit.byteCount, "from \(start) s")
            }
        }
    }
}
