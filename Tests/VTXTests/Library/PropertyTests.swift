import Testing
import VTXMedia

@testable import VTX

@Suite("A session's properties")
struct PropertyTests {
    private func code(_ body: () throws -> Void) -> SessionError.Code? {
        do { try body() } catch { return (error as? SessionError)?.code }
        return nil
    }

    @Test("a property returns the set value")
    func roundTrip() throws {
        let session = try CompressionSession(.small(.h264)) { _ in }
        try session.set(.averageBitRate, to: 300_000)
        try session.set(.realTime, to: true)
        try session.set(.dataRateLimits, to: [DataRateLimit(byteCount: 50_000, seconds: 1)])
        try session.set(.maxKeyFrameIntervalDuration, to: 2.5)
        try session.set(.expectedFrameRate, to: Rational(30000, 1001))
        try session.set(.h264EntropyMode, to: .cavlc)
        try session.set(.profileLevel, to: ProfileLevel(.h264Main, 3.1))
        try session.set(.scalingMode, to: .trim)
        #expect(try session.value(of: .averageBitRate) == 300_000)
        #expect(try session.value(of: .realTime))
        #expect(try session.value(of: .dataRateLimits) == [DataRateLimit(byteCount: 50_000, seconds: 1)])
        #expect(try session.value(of: .maxKeyFrameIntervalDuration) == 2.5)
        #expect(try session.value(of: .expectedFrameRate) == Rational(30000, 1001))
        #expect(try session.value(of: .h264EntropyMode) == .cavlc)
        #expect(try session.value(of: .profileLevel) == ProfileLevel(.h264Main, 3.1))
        #expect(try session.value(of: .scalingMode) == .trim)
    }

    @Test("errors distinguish unknown, read-only and invalid properties")
    func errors() throws {
        let session = try CompressionSession(.small(.hevc)) { _ in }
        #expect(code { try session.set(.h264EntropyMode, to: .cabac) } == .propertyNotSupported)
        #expect(code { _ = try session.value(of: .h264EntropyMode) } == .propertyNotSupported)
        #expect(code { try session.set(.usingHardwareAcceleratedVideoEncoder, to: true) } == .propertyReadOnly)
        #expect(code { try session.set(.averageBitRate, to: 0) } == .badParameter)
        #expect(code { try session.set(.maxKeyFrameInterval, to: -1) } == .badParameter)
        #expect(code { try session.set(.profileLevel, to: ProfileLevel(.high)) } == .badParameter)
        #expect(code { try session.set(.maxKeyFrameIntervalDuration, to: .nan) } == .badParameter)
        let three = Array(repeating: DataRateLimit(byteCount: 1000, seconds: 1), count: 3)
        #expect(code { try session.set(.dataRateLimits, to: three) } == .badParameter)
        #expect(try session.value(of: .averageBitRate) == 800_000)
    }

    @Test("the list of properties is correct")
    func list() throws {
        let hevc = try CompressionSession(.small(.hevc)) { _ in }.supportedProperties
        let h264 = try CompressionSession(.small(.h264)) { _ in }.supportedProperties
        #expect(hevc["H264EntropyMode"] == nil && h264["H264EntropyMode"] != nil)
        #expect(
            h264["AverageBitRate"]
                == PropertyDescription(
                    valueType: "Int", isReadOnly: false, range: 1000...1_000_000_000, defaultValue: "5120000"))
        #expect(h264["NumberOfPendingFrames"] == PropertyDescription(valueType: "Int", isReadOnly: true))
        #expect(h264["UsingHardwareAcceleratedVideoEncoder"]?.isReadOnly == true)
        let decoding = try DecompressionSession(VideoDecoderConfiguration(codec: .h264)) { _ in }
        #expect(decoding.supportedProperties["NumberOfFramesDropped"]?.isReadOnly == true)
        #expect(try decoding.value(of: .numberOfFramesDropped) == 0)
    }

    @Test("the listed ranges can be set")
    func ranges() throws {
        let session = try CompressionSession(.small(.h264)) { _ in }
        for name in ["AverageBitRate", "MaxKeyFrameInterval"] {
            let range = try #require(session.supportedProperties[name]?.range)
            try session.set([name: Int(range.lowerBound)])
            try session.set([name: Int(range.upperBound)])
            #expect(code { try session.set([name: Int(range.upperBound) + 1]) } == .badParameter)
            #expect(code { try session.set([name: Int(range.lowerBound) - 1]) } == .badParameter)
        }
    }

    @Test("several are set at once, by their names")
    func dictionary() throws {
        let session = try CompressionSession(.small(.h264)) { _ in }
        // Neither can be set first: Baseline has no CABAC.
        try session.set(["H264EntropyMode": EntropyMode.cabac])
        try session.set([
            "H264EntropyMode": EntropyMode.cavlc, "ProfileLevel": ProfileLevel(.baseline), "RealTime": true,
            "MaxKeyFrameIntervalDuration": 2.5,
        ])
        #expect(try session.value(of: .profileLevel) == ProfileLevel(.baseline))
        #expect(try session.value(of: .maxKeyFrameIntervalDuration) == 2.5)
        // A number can have any numeric type.
        try session.set([
            "ExpectedFrameRate": 29.97, "MaxKeyFrameIntervalDuration": 2, "AverageBitRate": 300_000.0, "Quality": 60,
            "PixelAspectRatio": 1,
        ])
        #expect(try session.value(of: .expectedFrameRate) == Rational(30_000, 1001))
        #expect(try session.value(of: .maxKeyFrameIntervalDuration) == 2)
        #expect(try session.value(of: .averageBitRate) == 300_000 && session.value(of: .quality) == Quality(60))
        for (name, value) in [("Quality", 0.7), ("Quality", 150), ("ProfileLevel", 3.1)] {
            #expect(throws: SessionError.self, "\(name) \(value)") { try session.set([name: value]) }
        }
        #expect(try session.value(of: .quality) == Quality(60))
        #expect(try session.value(of: .profileLevel) == ProfileLevel(.baseline))
        let decoding = try DecompressionSession(VideoDecoderConfiguration(codec: .h264)) { _ in }
        try decoding.set(["RealTime": true])
        #expect(try decoding.value(of: .realTime))
    }

    @Test(
        "of several, none is set if one is invalid",
        arguments: [
            ("ProfileLevel", ProfileLevel(.main10) as any Sendable, SessionError.Code.badParameter),
            ("RealTime", 1, .badParameter), ("MaxKeyFrameInterval", "often", .badParameter),
            ("NumberOfPendingFrames", 1, .propertyReadOnly), ("AllowOpenGOP", true, .propertyNotSupported),
            ("EnableLTR", true, .propertyNotSupported), ("SupportsBaseFrameQP", true, .propertyNotSupported),
        ])
    func allOrNone(name: String, value: any Sendable, expected: SessionError.Code) throws {
        let session = try CompressionSession(.small(.h264)) { _ in }
        #expect(code { try session.set(["AverageBitRate": 300_000, name: value]) } == expected)
        #expect(try session.value(of: .averageBitRate) == 800_000)
    }

    @Test("a property applies from the next frame on")
    func midStream() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.h264)) { collected.add($0) }
        for index in 0..<8 { try await session.encode(try Pictures.moving(index), at: .frame(index)) }
        try session.set(.profileLevel, to: ProfileLevel(.baseline))
        for index in 8..<16 { try await session.encode(try Pictures.moving(index), at: .frame(index)) }
        try await session.flush()
        let samples = collected.all.compactMap(\.sample)
        #expect(samples.count == 16)
        for sample in samples {
            let isEarly = sample.presentationTime.ticks < 8
            #expect(sample.formatDescription.profileName == (isEarly ? "High" : "Constrained Baseline"))
        }
    }

    @Test(
        "an invalid configuration is refused when the session is created",
        arguments: [
            VideoEncoderConfiguration.small(.h264) { $0.size = PixelSize(15, 96) },
            .small(.h264) { $0.size = PixelSize(0, 96) }, .small(.h264) { $0.size = PixelSize(20000, 96) },
            .small(.h264) { $0.bitrate = -5 }, .small(.h264) { $0.fps = Rational(0, 1) },
            .small(.h264) { $0.profile = .main10 }, .small(.h264) { $0.gopSize = 0 },
            .small(.h264) { $0.dataRateLimits = [DataRateLimit(byteCount: 0, seconds: 1)] },
            .small(.h264) {
                $0.profile = .baseline
                $0.entropyMode = .cabac
            },
        ])
    func refused(configuration: VideoEncoderConfiguration) {
        #expect(code { _ = try CompressionSession(configuration) { _ in } } == .badParameter)
    }

    @Test("missing hardware cannot be required")
    func required() {
        let none = SharedBackendsWithoutHardware.backends
        let wanted = VideoEncoderConfiguration.small(.h264) { $0.hardware = .require }
        #expect(code { _ = try CompressionSession(wanted, backends: none) { _ in } } == .noSuchEncoder)
        let named = VideoEncoderConfiguration.small(.h264) {
            $0.hardware = .auto
            $0.device = "/dev/dri/renderD999"
        }
        #expect(code { _ = try CompressionSession(named, backends: none) { _ in } } == .badParameter)
        var decoding = VideoDecoderConfiguration(codec: .h264)
        decoding.hardware = .require
        #expect(code { _ = try DecompressionSession(decoding, backends: none) { _ in } } == .noSuchDecoder)
    }
}
