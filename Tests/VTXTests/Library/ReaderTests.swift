import Testing
import VTXMedia
import VTXSystem

@testable import VTX

@Suite("A session and its reader")
struct ReaderTests {
    @Test(
        "without a reader, a writer waits until it is cancelled or the session is invalidated",
        arguments: [false, true])
    func cancelled(byInvalidation: Bool) async throws {
        let samples = try await Coding.encode(try (0..<60).map { try Pictures.moving($0) }, .small(.h264))
        let session = try DecompressionSession(VideoDecoderConfiguration(codec: .h264))
        let writer = Task { for sample in samples { try await session.decode(sample) } }
        // The writer waits, or soon will.
        if byInvalidation { session.invalidate() } else { writer.cancel() }
        let outcome = await writer.result
        if byInvalidation {
            #expect(throws: SessionError.self) { try outcome.get() }
        } else {
            // Nothing is lost: it waits for the reader.
            async let rest = session.frames.reduce(0) { count, _ in count + 1 }
            try await session.flush()
            session.invalidate()
            #expect(try await rest == 60)
        }
    }

    @Test("a loop throws the session's error, with its type")
    func typed() async throws {
        let session = try CompressionSession(.small(.h264))
        session.invalidate()
        do throws(SessionError) {
            for try await _ in session.samples { Issue.record("a sample") }
            for try await _ in session.outputs { Issue.record("an output") }
        } catch { Issue.record("\(error.code)") }
    }

    private struct Broken: Error {}

    @Test("when the reader ends, feeding the decoder throws, and another reader continues")
    func readerEnds() async throws {
        let samples = try await Coding.encode(try (0..<60).map { try Pictures.moving($0) }, .small(.h264))
        let session = try DecompressionSession(VideoDecoderConfiguration(codec: .h264))
        let shown = Task { for try await _ in session.frames { throw Broken() } }
        var fed = 0
        do throws(SessionError) {
            for sample in samples {
                fed += 1
                try await session.decode(sample)
            }
        } catch {
            #expect(error.code == .outputNotRead)
        }
        #expect(fed < 60)
        await #expect(throws: Broken.self) { try await shown.value }
        // One was read, and the last one waits in the session.
        var (frames, count) = (session.frames.makeAsyncIterator(), 1)
        let writer = Task { [fed] in
            for sample in samples.dropFirst(fed) { try await session.decode(sample) }
            try await session.flush()
            session.invalidate()
        }
        while try await frames.next() != nil { count += 1 }
        try await writer.value
        #expect(count >= 59)
    }

    @Test("when the reader ends, feeding the encoder throws")
    func encoderReaderEnds() async throws {
        let session = try CompressionSession(.small(.h264) { $0.isRealTime = true })
        let written = Task { for try await _ in session.samples { throw Broken() } }
        await #expect {
            for index in 0..<1000 { try await session.encode(try Pictures.moving(index % 30), at: .frame(index)) }
        } throws: { error in
            (error as? SessionError)?.code == .outputNotRead
        }
        await #expect(throws: Broken.self) { try await written.value }
    }

    @Test("a stream in one piece waits for its reader, like any other")
    func onePiece() async throws {
        let samples = try await Coding.encode(try (0..<90).map { try Pictures.moving($0) }, .small(.h264))
        let stream = try Coding.stream(samples)
        let session = try DecompressionSession(VideoDecoderConfiguration(codec: .h264))
        let writer = Task {
            try await session.decode(stream: stream)
            try await session.flush()
            session.invalidate()
        }
        var count = 0
        for try await frame in session.frames {
            #expect(frame.error == nil)
            count += 1
            #expect(session.frames.queue.count <= 2 * DecompressionSession.maxUnreadFrames)
        }
        try await writer.value
        #expect(count == 90)
    }

    @Test("a session without an owner ends its outputs")
    func dropped() async throws {
        var session: CompressionSession? = try CompressionSession(.small(.h264))
        let outputs = try #require(session).outputs
        async let count = outputs.reduce(0) { count, _ in count + 1 }
        try await session?.encode(try Pictures.moving(0), at: .frame(0))
        session = nil
        #expect(try await count <= 1)
    }
}
