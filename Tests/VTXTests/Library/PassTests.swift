import Testing
import VTXMedia
import VTXSystem

@testable import VTX

@Suite("Two passes of a compression session")
struct PassTests {
    private func outcome(
        _ codec: VideoCodec, count: Int = 40, _ change: (inout VideoEncoderConfiguration) -> Void = { _ in }
    ) async throws -> (outputs: [CompressionOutput], passes: Int) {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(codec, change)) { collected.add($0) }
        var passes = 0
        var isAnotherWanted = true
        while isAnotherWanted {
            try await session.beginPass()
            for index in 0..<count {
                let options = FrameOptions(forcesKeyFrame: index == 20)
                try await session.encode(try Pictures.moving(index), at: .frame(index), options: options)
            }
            isAnotherWanted = try await session.endPass()
            passes += 1
        }
        return (collected.all, passes)
    }

    @Test(
        "the first pass outputs no samples, and the second uses its statistics",
        arguments: VideoCodec.ofNALUnits)
    func twoPasses(codec: VideoCodec) async throws {
        let (outputs, passes) = try await outcome(codec)
        #expect(passes == 2 && outputs.count == 80)
        let isAnalyzed = outputs.map { if case .analyzed = $0.status { true } else { false } }
        #expect(isAnalyzed == Array(repeating: true, count: 40) + Array(repeating: false, count: 40))
        #expect(outputs.prefix(40).allSatisfy { $0.sample == nil && $0.error == nil })
        let samples = outputs.compactMap(\.sample)
        #expect(samples.map(\.presentationTime).sorted() == (0..<40).map { .frame($0) })
        #expect(samples.first { $0.presentationTime == .frame(20) }?.isKeyFrame == true)
        let decoded = try await Coding.decode(codec) { for sample in samples { try await $0.decode(sample) } }
        #expect(decoded.frames.map(\.presentationTime) == (0..<40).map { .frame($0) })
        let pictures = try (0..<40).map { try Pictures.moving($0) }
        let inOnePass = try await Coding.encode(pictures, .small(codec), keys: [20])
        #expect(try Coding.stream(samples) != Coding.stream(inOnePass))
        // x264 writes its settings into the stream.
        let text = String(decoding: try Coding.stream(Array(samples.prefix(1))), as: UTF8.self)
        #expect(text.contains("rc=2pass") == (codec == .h264))
    }

    private func code(_ body: () async throws(SessionError) -> Void) async -> SessionError.Code? {
        do throws(SessionError) { try await body() } catch { return error.code }
        return nil
    }

    @Test("settings that exclude two passes are an error, and required hardware is not supported")
    func refusals() async throws {
        let changes: [(inout VideoEncoderConfiguration) -> Void] = [
            { $0.quality = Quality(70) }, { $0.isRealTime = true },
            { $0.dataRateLimits = [DataRateLimit(byteCount: 100_000, seconds: 1)] },
        ]
        for change in changes {
            let session = try CompressionSession(.small(.h264, change)) { _ in }
            #expect(await code { () throws(SessionError) in try await session.beginPass() } == .badParameter)
        }
        let gpu = FaultyBackend.backends(FaultyBackend(FaultyBackend.Faults()))
        let session = try CompressionSession(.small(.h264) { $0.hardware = .require }, backends: gpu) { _ in }
        #expect(await code { () throws(SessionError) in try await session.beginPass() } == .propertyNotSupported)
    }

    @Test("software does two passes even if a GPU is allowed")
    func software() async throws {
        let gpu = FaultyBackend.backends(FaultyBackend(FaultyBackend.Faults()))
        let session = try CompressionSession(.small(.h264) { $0.hardware = .auto }, backends: gpu) { _ in }
        try await session.beginPass()
        try await session.encode(try Pictures.moving(0), at: .frame(0))
        #expect(!session.isUsingHardware)
    }

    @Test("passes begin and end alternately, and the second has no more frames than the first")
    func order() async throws {
        let session = try CompressionSession(.small(.h264)) { _ in }
        let picture = try Pictures.moving(0)
        #expect(await code { () throws(SessionError) in _ = try await session.endPass() } == .badParameter)
        try await session.beginPass()
        #expect(await code { () throws(SessionError) in try await session.beginPass() } == .badParameter)
        #expect(await code { () throws(SessionError) in _ = try await session.endPass() } == .badParameter)
        try await session.encode(picture, at: .frame(0))
        #expect(await code { () throws(SessionError) in try await session.flush() } == .badParameter)
        try session.set(.averageBitRate, to: 900_000)
        #expect(
            await code { () throws(SessionError) in try await session.encode(picture, at: .frame(1)) } == .badParameter)
        try session.set(.averageBitRate, to: 800_000)
        #expect(try await session.endPass())
        try await session.beginPass()
        try await session.encode(picture, at: .frame(0))
        #expect(
            await code { () throws(SessionError) in try await session.encode(picture, at: .frame(1)) } == .badParameter)
        #expect(try await session.endPass() == false)
        #expect(await code { () throws(SessionError) in try await session.beginPass() } == .badParameter)
        let other = try CompressionSession(.small(.h264)) { _ in }
        try await other.encode(picture, at: .frame(0))
        #expect(await code { () throws(SessionError) in try await other.beginPass() } == .badParameter)
    }
}
