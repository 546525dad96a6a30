import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem

@testable import VTX

@Suite("A session on a GPU that fails")
struct RecoveryTests {
    private struct Outcome {
        var outputs: [CompressionOutput]
        var error: SessionError?
        var openings: Int
        var isUsingHardware: Bool

        var times: [Int64] { outputs.compactMap(\.sample).map(\.presentationTime.ticks).sorted() }
        var failures: Int { outputs.filter { $0.error != nil }.count }
    }

    private func encode(
        _ faults: FaultyBackend.Faults, _ policy: HardwarePolicy = .auto, count: Int = 30, isRealTime: Bool = true,
        size: PixelSize? = nil
    ) async throws -> Outcome {
        let backend = FaultyBackend(faults)
        let collected = Collected<CompressionOutput>()
        let configuration = VideoEncoderConfiguration.small(.h264) {
            $0.hardware = policy
            $0.isRealTime = isRealTime
            if let size { $0.size = size }
        }
        let session = try CompressionSession(configuration, backends: FaultyBackend.backends(backend)) {
            collected.add($0)
        }
        var failure: SessionError?
        do throws(SessionError) {
            for index in 0..<count {
                guard let picture = try? Pictures.moving(index) else { continue }
                try await session.encode(picture, at: .frame(index))
            }
            try await session.flush()
        } catch {
            failure = error
        }
        return Outcome(
            outputs: collected.all, error: failure, openings: backend.counts.withLock { $0.openings },
            isUsingHardware: session.isUsingHardware)
    }

    @Test("the frame at which it fails is encoded again, with all pending ones", arguments: [false, true])
    func again(isRealTime: Bool) async throws {
        let outcome = try await encode(.init(encodes: 13...13), isRealTime: isRealTime)
        #expect(outcome.error == nil && outcome.failures == 0)
        #expect(outcome.times == Array(0..<30))
        #expect(outcome.isUsingHardware)
    }

    @Test("software replaces a GPU that cannot encode one frame")
    func fallback() async throws {
        let outcome = try await encode(.init(encodes: 1...1000))
        #expect(outcome.error == nil && outcome.times == Array(0..<30) && !outcome.isUsingHardware)
    }

    @Test("a failed video processor is reopened, or replaced by the next device")
    func videoProcessor() async throws {
        let size = PixelSize(128, 64)
        for faults in [FaultyBackend.Faults(filters: 13...13), .init(filterOpenings: 1...1)] {
            let outcome = try await encode(faults, size: size)
            #expect(outcome.error == nil && outcome.failures == 0 && outcome.times == Array(0..<30))
            #expect(outcome.isUsingHardware)
        }
        for faults in [FaultyBackend.Faults(filters: 13...1000), .init(filterOpenings: 1...1000)] {
            let outcome = try await encode(faults, size: size)
            #expect(outcome.error == nil && outcome.failures == 0 && outcome.times == Array(0..<30))
            #expect(!outcome.isUsingHardware)
        }
    }

    @Test("software replaces a GPU that cannot be opened")
    func opening() async throws {
        let outcome = try await encode(.init(openings: 1...1000))
        #expect(outcome.times == Array(0..<30) && !outcome.isUsingHardware)
    }

    @Test("required hardware is opened at most five times in a row")
    func required() async throws {
        let outcome = try await encode(.init(openings: 1...1000), .require)
        #expect(outcome.openings == 5 && outcome.times.isEmpty)
        #expect(outcome.error?.code == .notAvailableNow)
        #expect(outcome.failures == 1, "the frame that ended the session")
    }

    @Test("four failures to open it are tolerated")
    func four() async throws {
        let outcome = try await encode(.init(openings: 1...4), .require)
        #expect(outcome.openings == 5 && outcome.times == Array(0..<30) && outcome.error == nil)
    }

    @Test("sessions that fail after opening count, until a frame is output")
    func unproved() async throws {
        let outcome = try await encode(.init(encodes: 1...1000), .require)
        #expect(outcome.openings == 5 && outcome.error?.code == .hardwareMalfunction)
        // Four failures in mid-stream, and four more: the frames between them reset the count.
        let lucky = try await encode(.init(encodes: 10...13), .require)
        #expect(lucky.error == nil && lucky.times == Array(0..<30))
    }

    @Test("twenty frames that fail in a row end the session, nineteen do not")
    func failures() async throws {
        let ended = try await encode(.init(encodes: 5...1000, code: .unsupportedFormat), count: 40)
        #expect(ended.times == [0, 1, 2, 3] && ended.failures == 20)
        #expect(ended.error?.code == .unsupportedFormat)
        let survived = try await encode(.init(encodes: 5...23, code: .unsupportedFormat), count: 40)
        #expect(survived.failures == 19 && survived.times.count == 21 && survived.error == nil)
    }

    @Test("a sequence of samples ends with the reason")
    func ending() async throws {
        let backend = FaultyBackend(.init(openings: 1...1000))
        let configuration = VideoEncoderConfiguration.small(.h264) { $0.hardware = .require }
        let session = try CompressionSession(configuration, backends: FaultyBackend.backends(backend))
        let picture = try Pictures.moving(0)
        await #expect(throws: SessionError.self) { try await session.encode(picture, at: .frame(0)) }
        await #expect(throws: SessionError.self) { for try await _ in session.samples {} }
    }

    private static let gop = 10

    /// 30 frames, each tenth one a key frame.
    private func samples(isRealTime: Bool) async throws -> [Sample] {
        try await Coding.encode(
            try (0..<30).map { try Pictures.moving($0) },
            .small(.h264) {
                $0.isRealTime = isRealTime
                $0.gopSize = Self.gop
            })
    }

    private func decode(
        _ faults: FaultyBackend.Faults, isRealTime: Bool = false,
        _ work: (DecompressionSession) async throws -> Void
    ) async throws -> (frames: [DecodedFrame], session: DecompressionSession) {
        let collected = Collected<DecodedFrame>()
        var configuration = VideoDecoderConfiguration(codec: .h264)
        configuration.isRealTime = isRealTime
        let session = try DecompressionSession(
            configuration, backends: FaultyBackend.backends(FaultyBackend(faults))
        ) { collected.add($0) }
        try await work(session)
        try await session.flush()
        return (collected.all, session)
    }

    @Test(
        "a lost decoder is replaced, at any frame, and each frame is output once, at its time",
        arguments: [false, true])
    func decoding(isRealTime: Bool) async throws {
        let samples = try await samples(isRealTime: isRealTime)
        for failing in 1...30 {
            let (frames, session) = try await decode(.init(decodes: failing...failing), isRealTime: isRealTime) {
                for sample in samples { try await $0.decode(sample) }
            }
            #expect(frames.allSatisfy { $0.error == nil && $0.pixelBuffer != nil }, "call \(failing)")
            #expect(frames.map(\.presentationTime.ticks) == Array(0..<30), "call \(failing)")
            #expect(try session.value(of: .numberOfFramesDropped) == 0)
            #expect(try session.value(of: .numberOfDecoders) == 2 && session.isUsingHardware)
        }
    }

    @Test("each frame is output once if software takes over in mid-stream")
    func decodingLost() async throws {
        let samples = try await samples(isRealTime: false)
        for failing in 1...30 {
            let (frames, session) = try await decode(.init(decodes: failing...1000)) {
                for sample in samples { try await $0.decode(sample) }
            }
            #expect(frames.allSatisfy { $0.error == nil } && !session.isUsingHardware, "call \(failing)")
            #expect(frames.map(\.presentationTime.ticks) == Array(0..<30), "call \(failing)")
        }
    }

    @Test("frames without times are neither lost nor repeated with a lost decoder")
    func untimed() async throws {
        let samples = try await samples(isRealTime: true)
        let stream = try Coding.stream(samples)
        let (whole, _) = try await decode(.init()) { try await $0.decode(stream: stream) }
        let digests = try whole.map { try $0.planes() }
        #expect(digests.count == 30 && Set(digests).count == 30)
        for failing in 1...30 {
            let (frames, session) = try await decode(.init(decodes: failing...failing)) {
                try await $0.decode(stream: stream)
            }
            #expect(frames.allSatisfy { $0.error == nil }, "call \(failing)")
            #expect(try frames.map { try $0.planes() } == digests, "call \(failing)")
            #expect(try session.value(of: .numberOfFramesDropped) == 0)
        }
    }

    @Test(
        "software replaces a GPU that decodes nothing, without losing a frame",
        arguments: [SessionError.Code.hardwareMalfunction, .unsupportedFormat])
    func decodingFallback(code: SessionError.Code) async throws {
        let samples = try await Coding.encode(
            try (0..<20).map { try Pictures.moving($0) }, .small(.h264) { $0.gopSize = 5 })
        let backend = FaultyBackend(.init(decodes: 1...1000, code: code))
        let collected = Collected<DecodedFrame>()
        let session = try DecompressionSession(
            VideoDecoderConfiguration(codec: .h264), backends: FaultyBackend.backends(backend)
        ) { collected.add($0) }
        for sample in samples { try await session.decode(sample) }
        try await session.flush()
        // Another decoder began with the same frames.
        #expect(collected.all.filter { $0.error == nil }.count == 20 && !session.isUsingHardware)
    }
}

extension DecodedFrame {
    /// The bytes of all planes.
    fileprivate func planes() throws -> [[UInt8]] {
        let picture = try #require(pixelBuffer)
        return (0..<picture.planeCount).map { picture.frame.planeBytes($0) }
    }
}
