import Glibc
import Testing
import VTX
import VTXSystem
import VTXTestMedia

@Suite("A capture session", .serialized)
struct CaptureSessionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func session(_ outputs: CaptureOutput...) throws -> CaptureSession {
        let session = try CaptureSession(.testPicture, size: PixelSize(160, 96), fps: 50)
        for output in outputs { try session.add(output) }
        return session
    }

    private var software: CaptureFileConfiguration {
        var configuration = CaptureFileConfiguration(codec: .h264)
        configuration.hardware = .off
        return configuration
    }

    /// The first two seconds of frames. A busy machine reads them late.
    private func makeFrames() -> (AsyncStream<CapturedFrame>, AsyncStream<CapturedFrame>.Continuation) {
        AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(100))
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do { try await body() } catch { return (error as? CaptureError)?.code }
        return nil
    }

    @Test("frames are NV12 in video range, with times that increase from zero")
    func frames() async throws {
        let (frames, put) = makeFrames()
        let session = try session(.frames { put.yield($0) })
        #expect(session.size == PixelSize(160, 96) && session.frameRate == 50)
        try session.start()
        let first = await frames.prefix(5).reduce(into: [CapturedFrame]()) { $0.append($1) }
        let statistics = try await session.stop()
        #expect(statistics.frameCount >= 5)
        #expect(first.allSatisfy { $0.pixelBuffer.format == .nv12 && $0.pixelBuffer.size == session.size })
        #expect(first.allSatisfy { $0.pixelBuffer.color.isFullRange == false })
        #expect(first[0].time.ticks == 0)
        #expect(zip(first, first.dropFirst()).allSatisfy { $0.time.seconds < $1.time.seconds })
    }

    @Test("each file has every counted frame, next to a frame output")
    func files() async throws {
        let (frames, put) = makeFrames()
        let paths = ["a.mp4", "b.mkv"].map { directory.file($0) }
        let session = try session(.file(paths[0], software), .frames { put.yield($0) }, .file(paths[1], software))
        try session.start()
        for await frame in frames where frame.time.seconds > 0.3 { break }
        let statistics = try await session.stop()
        for path in paths { #expect(try Decoded(path).frames.count == statistics.frameCount) }
    }

    @Test("an output can be mirrored")
    func mirrored() async throws {
        let (frames, put) = makeFrames()
        let paths = ["plain.mp4", "mirrored.mp4"].map { directory.file($0) }
        var mirrored = software
        mirrored.isVideoMirrored = true
        let session = try session(.file(paths[0], software), .file(paths[1], mirrored), .frames { put.yield($0) })
        try session.start()
        for await frame in frames where frame.time.seconds > 0.3 { break }
        try await session.stop()
        let (plain, other) = (try Decoded(paths[0]).frames[0], try Decoded(paths[1]).frames[0])
        let columns = stride(from: 4, to: 160, by: 8)
        func difference(_ column: (Int) -> Int) -> Int {
            columns.reduce(0) { $0 + abs(plain.luma($1, 40) - other.luma(column($1), 40)) } / 20
        }
        #expect(difference { 159 - $0 } < 8)
        #expect(difference { $0 } > 20)
    }

    @Test("files and live outputs share one encoding; a missing receiver is reported, and does not affect others")
    func recording() async throws {
        let paths = ["a.h264", "b.mp4"].map { directory.file($0) }
        let (frames, put) = makeFrames()
        // Nothing listens there.
        let session = try session(
            .recording(paths + ["rtmp://127.0.0.1:1/live/key"], software), .frames { put.yield($0) })
        try session.start()
        for await frame in frames where frame.time.seconds > 0.5 { break }
        #expect(await code { try await session.stop() } == "output.connection")
        var codes: [String] = []
        var count = 0
        for await event in session.events {
            if case .notice(let code, _) = event { codes.append(code) }
            if case .stopped(let statistics) = event { count = statistics.frameCount }
        }
        #expect(codes.contains("capture.connection"))
        for path in paths { #expect(try Decoded(path).frames.count == count) }
    }

    @Test("invalid outputs are refused when added")
    func badRecordings() async throws {
        let session = try session()
        #expect(await code { try session.add(.recording([])) } == "output.extension")
        #expect(await code { try session.add(.recording(["a.h264", "ftp://host/a"])) } == "output.extension")
        #expect(await code { try session.add(.file("rtmp://host/app/key")) } == "output.extension")
    }

    @Test("a failed output does not end the others, and the session reports it with the reason")
    func failure() async throws {
        let paths = ["lost.mp4", "kept.mp4"].map { directory.file($0) }
        let (frames, put) = makeFrames()
        let session = try session(.file(paths[0], software), .file(paths[1], software), .frames { put.yield($0) })
        try session.start()
        for await frame in frames where frame.time.seconds > 0.3 { break }
        unlink(paths[0])
        #expect(await code { try await session.stop() } == "output.write")
        let failed = await session.events.reduce(into: [CaptureEvent]()) { $0.append($1) }.compactMap { event -> Int? in
            if case .outputFailed(let output, let error) = event, error.code == "output.write" { output } else { nil }
        }
        #expect(failed == [0])
        #expect(try Decoded(paths[1]).frames.count > 0)
    }

    @Test("events are in order, and end with the counts")
    func events() async throws {
        let session = try session(.frames { _ in })
        try session.start()
        var seen: [CaptureEvent] = []
        for await event in session.events {
            seen.append(event)
            if event == .started { Task { try await session.stop() } }
        }
        #expect(seen.first == .started && seen.count == 2)
        guard case .stopped(let statistics)? = seen.last else {
            Issue.record("no end in \(seen)")
            return
        }
        #expect(statistics.frameCount > 0)
    }

    @Test("a session starts once, and accepts no output afterwards; an idle one can be stopped")
    func misuse() async throws {
        let session = try session(.frames { _ in })
        try session.start()
        #expect(await code { try session.start() } == "session.invalidSession")
        #expect(await code { try session.add(.frames { _ in }) } == "session.invalidSession")
        try await session.stop()
        try await session.stop()
        let idle = try self.session()
        #expect(try await idle.stop().frameCount == 0)
        #expect(await code { try idle.start() } == "session.invalidSession")
    }

    @Test("invalid settings are refused with a code")
    func refusals() async throws {
        #expect(await code { _ = try CaptureSession(CaptureDevice(path: "/dev/video250")) } == "camera.notFound")
        #expect(
            await code { _ = try CaptureSession(.testPicture, size: PixelSize(8, 8)) } == "session.badParameter")
        #expect(await code { _ = try CaptureSession(.testPicture, fps: 0) } == "session.badParameter")
        #expect(await code { _ = try session(.file("a.webm")) } == "output.extension")
        #expect(await code { _ = try session(.file("a.h264", .init(codec: .hevc))) } == "output.codec")
    }

    @Test("if one output cannot be opened, none is left")
    func halfOpen() async throws {
        let taken = directory.file("taken.mp4")
        try Files.write([1], to: taken)
        let session = try session(.file(directory.file("a.mp4"), software), .file(taken, software))
        #expect(await code { try session.start() } == "output.exists")
        #expect(await code { try await session.stop() } == "output.exists")
        #expect(directory.names == ["taken.mp4"])
    }

    @Test("a released session stops, and its files are complete")
    func released() async throws {
        let path = directory.file("a.mp4")
        var session: CaptureSession? = try session(.file(path, software))
        let events = try #require(session?.events)
        try session?.start()
        for await event in events {
            if event == .started { session = nil }
        }
        #expect(try Decoded(path).frames.count > 0)
    }
}
