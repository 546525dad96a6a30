import Testing
import VTXMedia
import VTXSystem

@testable import VTX

@Suite("Sessions from callbacks and plain threads")
struct CallbackTests {
    private static func samples(_ count: Int) async throws -> [Sample] {
        try await Coding.encode(try (0..<count).map { try Pictures.moving($0) }, .small(.h264))
    }

    @Test("submitted samples are decoded in order")
    func submitted() async throws {
        let samples = try await Self.samples(40)
        let collected = Collected<DecodedFrame>()
        let session = try DecompressionSession(VideoDecoderConfiguration(codec: .h264)) { collected.add($0) }
        for sample in samples { try session.submit(sample, context: sample.presentationTime.ticks) }
        try await session.flush()
        #expect(collected.all.map(\.presentationTime) == (0..<40).map { .frame($0) })
        #expect(collected.all.allSatisfy { $0.error == nil && $0.context as? Int64 == $0.presentationTime.ticks })
    }

    @Test("submitted chunks of a stream are decoded like awaited ones")
    func submittedStream() async throws {
        let samples = try await Self.samples(20)
        let stream = try Coding.stream(samples)
        let session = try DecompressionSession(VideoDecoderConfiguration(codec: .h264))
        async let count = session.frames.reduce(0) { $1.error == nil ? $0 + 1 : $0 }
        for start in stride(from: 0, to: stream.count, by: stream.count / 30 + 1) {
            try session.submit(stream: Array(stream[start..<min(stream.count, start + stream.count / 30 + 1)]))
        }
        try await session.flush()
        session.invalidate()
        #expect(try await count == 20)
    }

    @Test("a full queue refuses a submission, and loses nothing accepted")
    func tooMany() async throws {
        let samples = try await Self.samples(120)
        let session = try DecompressionSession(VideoDecoderConfiguration(codec: .h264))
        var taken = 0
        let refusal = #expect(throws: SessionError.self) {
            for sample in samples {
                try session.submit(sample)
                taken += 1
            }
        }
        #expect(refusal?.code == .notAvailableNow)
        #expect(taken >= DecompressionSession.maxWaitingSubmissions && taken < 120)
        async let count = session.frames.reduce(0) { count, _ in count + 1 }
        try await session.flush()
        session.invalidate()
        #expect(try await count == taken)
    }

    @Test("a sample that cannot be decoded gives a frame with an error")
    func failures() async throws {
        let samples = try await Self.samples(2)
        let collected = Collected<DecodedFrame>()
        let session = try DecompressionSession(VideoDecoderConfiguration(codec: .hevc)) { collected.add($0) }
        try session.submit(samples[0], context: "another codec")
        try await session.flush()
        #expect(collected.all.map { $0.error?.code } == [.badParameter])
        #expect(collected.all.first?.context as? String == "another codec")
        session.invalidate()
        #expect(throws: SessionError.self) { try session.submit(stream: [0]) }
    }

    @Test("a frame's context is returned with its output")
    func context() async throws {
        let collected = Collected<CompressionOutput>()
        let session = try CompressionSession(.small(.h264)) { collected.add($0) }
        for index in 0..<12 {
            try await session.encode(try Pictures.moving(index), at: .frame(index), context: "frame \(index)")
        }
        try await session.flush()
        #expect(collected.all.count == 12)
        #expect(collected.all.allSatisfy { $0.context as? String == "frame \($0.presentationTime.ticks)" })
    }

    @Test("a plain thread can encode and decode, and wait")
    func plainThread() async throws {
        let (samples, frames) = (Collected<CompressionOutput>(), Collected<DecodedFrame>())
        try await onThread {
            let encoder = try CompressionSession(.small(.hevc)) { samples.add($0) }
            try encoder.prepareAndWait()
            for index in 0..<10 { try encoder.encodeAndWait(try Pictures.moving(index), at: .frame(index)) }
            try encoder.flushAndWait()
            let decoder = try DecompressionSession(VideoDecoderConfiguration(codec: .hevc)) { frames.add($0) }
            for sample in samples.all.compactMap(\.sample) { try decoder.decodeAndWait(sample) }
            try decoder.flushAndWait()
        }
        #expect(samples.all.compactMap(\.sample).count == 10)
        #expect(frames.all.map(\.presentationTime) == (0..<10).map { .frame($0) })
    }

    private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            do {
                try Thread("plain") { done.resume(with: Result { try body() }) }.detach()
            } catch { done.resume(throwing: error) }
        }
    }

    @Test("a handler that waits for its own session gets an error")
    func waitingHandler() async throws {
        let box = Locked<CompressionSession?>(nil)
        let errors = Collected<SessionError>()
        let session = try CompressionSession(.small(.h264)) { _ in
            guard let session = box.withLock({ $0 }) else { return }
            do throws(SessionError) { try session.flushAndWait() } catch { errors.add(error) }
        }
        box.withLock { $0 = session }
        defer { box.withLock { $0 = nil } }
        try await session.encode(try Pictures.moving(0), at: .frame(0))
        try await session.flush()
        #expect(errors.all.map(\.code) == [.badParameter])
    }
}
