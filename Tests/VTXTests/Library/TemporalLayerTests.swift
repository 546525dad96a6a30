import Testing
import VTX

@Suite("Temporal layers")
struct TemporalLayerTests {
    @Test("half of the frames are the base layer, and are decoded alone", arguments: VideoCodec.ofNALUnits)
    func baseLayer(codec: VideoCodec) async throws {
        try await Self.expectLayers(.small(codec) { $0.baseLayerFrameRateFraction = 0.5 })
    }

    /// Encodes 40 frames of 160x96, and decodes those of the base layer.
    static func expectLayers(_ configuration: VideoEncoderConfiguration) async throws {
        let codec = try #require(configuration.codec)
        let pictures = try (0..<40).map { try Pictures.moving($0, size: configuration.size) }
        let samples = try await Coding.encode(pictures, configuration)
        let levels = try samples.map { try #require($0.dependency).temporalLevel }
        let base = zip(samples, levels).filter { $0.1 == 0 }.map(\.0)
        #expect((20...22).contains(base.count), "\(levels)")
        let times = base.map(\.presentationTime.ticks)
        #expect(times == times.sorted() && zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= 2 }, "\(times)")
        let whole = try await Coding.decode(codec) { for sample in samples { try await $0.decode(sample) } }.frames
        let rest = try await Coding.decode(codec) { for sample in base { try await $0.decode(sample) } }.frames
        #expect(whole.count == 40 && rest.count == base.count && rest.allSatisfy { $0.error == nil })
        for frame in rest {
            let same = try #require(whole.first { $0.presentationTime == frame.presentationTime }?.pixelBuffer)
            #expect(try frame.pixelBuffer?.bytes(ofPlane: 0) == same.bytes(ofPlane: 0))
        }
    }

    @Test("are disabled with the property, in mid-stream")
    func change() async throws {
        let session = try CompressionSession(.small(.h264) { $0.baseLayerFrameRateFraction = 0.5 })
        async let levels = session.samples.reduce(into: [Int?]()) { $0.append($1.dependency?.temporalLevel) }
        for index in 0..<8 { try await session.encode(try Pictures.moving(index), at: .frame(index)) }
        try session.set(["BaseLayerFrameRateFraction": 1.0, "AllowFrameReordering": false])
        for index in 8..<16 { try await session.encode(try Pictures.moving(index), at: .frame(index)) }
        try await session.flush()
        session.invalidate()
        let all = try await levels
        #expect(all.prefix(8).contains(1) && all.suffix(8).allSatisfy { $0 == 0 }, "\(all)")
    }

    @Test(
        "are refused without B frames, or with another size",
        arguments: [
            VideoEncoderConfiguration.small(.h264) { $0.openBFrame = false }, .small(.hevc) { $0.isRealTime = true },
            .small(.h264) { $0.profile = .baseline }, .small(.hevc) { $0.allowsTemporalCompression = false },
        ])
    func refused(configuration: VideoEncoderConfiguration) throws {
        let session = try CompressionSession(configuration)
        let error = #expect(throws: SessionError.self) { try session.set(.baseLayerFrameRateFraction, to: 0.5) }
        #expect(error?.code == .badParameter && error?.message.contains("without B frames; allowed: 1, ") == true)
        let other = #expect(throws: SessionError.self) { try session.set(.baseLayerFrameRateFraction, to: 0.25) }
        #expect(other?.message == "baseLayerFrameRateFraction cannot be 0.25; allowed: 0.5 or 1")
    }

    @Test("AV1 has none")
    func av1() throws {
        let session = try CompressionSession(.small(.av1))
        let error = #expect(throws: SessionError.self) { try session.set(.baseLayerFrameRateFraction, to: 0.5) }
        #expect(error?.code == .propertyNotSupported)
        #expect(session.supportedProperties["BaseLayerFrameRateFraction"] == nil)
    }
}
