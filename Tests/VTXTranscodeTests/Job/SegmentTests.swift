import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia
import Testing

@testable import VTXTranscode

@Suite("Segments encoded by several processes")
struct SegmentTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Forty seconds, with an open GOP every two, of which every fifth can begin a segment.
    private func clip(_ change: (inout VideoRecipe) -> Void = { _ in }) throws -> String {
        var video = VideoRecipe {
            ($0.frameRate, $0.frameCount, $0.keyFrameInterval) = (10, 400, 20)
            $0.options = [("preset", "veryfast"), ("x264-params", "open-gop=1:bframes=3:b-pyramid=normal:scenecut=0")]
        }
        change(&video)
        var audio = AudioRecipe.aac
        audio.seconds = 40
        let path = directory.file("in.mkv")
        try MovieRecipe(video, audio).write(to: path)
        return path
    }

    private func request(_ input: String, _ output: String) -> TranscodeRequest {
        var request = TranscodeRequest(input: input, output: output)
        (request.codec, request.preset, request.verification) = (.h264, .fast, .full)
        return request
    }

    @discardableResult
    private func run(_ request: TranscodeRequest) throws -> TranscodeResult {
        try TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { _ in }.run()
    }

    private func encode(_ input: String, _ number: Int, of count: Int, in container: String) throws -> Int {
        let name = SegmentedWork.fileName(number, of: "out.\(container)")
        var request = request(input, directory.file(name))
        request.segmentedWork = .segment(number, of: count)
        return try run(request).frames
    }

    private func join(_ input: String, _ count: Int, in container: String) throws -> (TranscodeResult, String) {
        var request = request(input, directory.file("joined.\(container)"))
        (request.segments, request.segmentedWork) = (.count(count), .join(directory: directory.path))
        return (try run(request), request.output ?? "")
    }

    /// Frames, times, streams and audio equal a single run's.
    private func check(_ input: String, _ count: Int, in container: String) throws {
        let single = request(input, directory.file("single.\(container)"))
        let expected = try run(single)
        // In any order.
        let frames = try (1...count).reversed().map { try encode(input, $0, of: count, in: container) }
        #expect(frames.reduce(0, +) == expected.frames)
        let (result, path) = try join(input, count, in: container)
        #expect(result.frames == expected.frames && result.notices == expected.notices)
        let (one, many) = (try MediaFile(single.output ?? ""), try MediaFile(path))
        #expect(many.streams.map(\.codecName) == one.streams.map(\.codecName))
        #expect(many.packets(.audio) == one.packets(.audio))
        #expect(many.times(.video) == one.times(.video))
        let decoded = (try Decoded(single.output ?? ""), try Decoded(path))
        #expect(decoded.1.errors == 0 && decoded.1.times == decoded.0.times)
        #expect(zip(decoded.0.frames, decoded.1.frames).map { $0.psnr(against: $1) }.min() ?? 0 > 30)
    }

    @Test("form an output like a single run's", arguments: ["mp4", "mkv", "ts"])
    func containers(container: String) throws { try check(try clip(), 3, in: container) }

    @Test("are fewer if the source has too few key frames")
    func fewKeyFrames() throws { try check(try clip { $0.keyFrameInterval = 150 }, 4, in: "mp4") }

    @Test("are joined as they arrive")
    func lateSegments() throws {
        let input = try clip()
        let late = try Thread("late") {
            for number in 1...2 { #expect(throws: Never.self) { try encode(input, number, of: 2, in: "mp4") } }
        }
        #expect(try join(input, 2, in: "mp4").0.frames == 400)
        late.join()
    }

    @Test("are not waited for after the job is cancelled")
    func cancelledWait() throws {
        var request = request(try clip(), directory.file("joined.mp4"))
        (request.segments, request.segmentedWork) = (.count(2), .join(directory: directory.path))
        let cancellation = Cancellation()
        let job = TranscodeJob(request, backends: [SoftwareBackend()], cancellation: cancellation) { event in
            if case .progress = event { cancellation.cancel(.interrupted) }
        }
        #expect(throws: TranscodeError.self) { try job.run() }
        #expect(!AtomicFile.exists(directory.file("joined.mp4")))
    }

    @Test("of another plan, or damaged, are refused")
    func unusableSegments() throws {
        let input = try clip()
        for number in 1...2 { _ = try encode(input, number, of: 2, in: "mp4") }
        let path = directory.file("segment-2.mp4")
        let whole = try FileDescriptor(opening: path).readAll(limit: 1 << 26)
        for change in [{ $0[$0.count / 2] ^= 1 }, { $0.removeLast(9) }, { $0 = [1, 2, 3] }] as [(inout [UInt8]) -> Void]
        {
            var bytes = whole
            change(&bytes)
            try AtomicFile.write(bytes, to: path, replaces: true)
            #expect(try error(input) == .segmentUnusable)
        }
        var other = request(input, path)
        (other.segmentedWork, other.overwrite, other.quality) = (.segment(2, of: 2), .replace, Quality(20))
        try run(other)
        #expect(try error(input) == .segmentUnusable)
    }

    private func error(_ input: String) throws -> ErrorKind? {
        do { _ = try join(input, 2, in: "mp4") } catch let error as TranscodeError { return error.kind }
        return nil
    }
}

@Suite("The number of segments in a cluster")
struct SegmentChoiceTests {
    private func count(_ request: SegmentsRequest, _ seconds: Double?, _ obstacle: Message? = nil) -> Int {
        SegmentChoice.choose(request, seconds: seconds, obstacle: obstacle).count
    }

    @Test("16 from eight minutes on by default")
    func automatic() {
        #expect(count(.auto, 479) == 1)
        #expect(count(.auto, 480) == 16)
        #expect(count(.auto, 36_000) == 16)
    }

    @Test("the requested number, of at least ten seconds")
    func asked() {
        #expect(count(.count(8), 80) == 8)
        #expect(count(.count(8), 45) == 4)
        #expect(count(.count(8), 19) == 1)
        #expect(count(.count(1), 1000) == 1)
    }

    @Test("one if the length is unknown or a setting depends on other segments")
    func obstacles() {
        #expect(count(.count(8), nil) == 1)
        #expect(count(.auto, 1000, "a bit rate is kept over the whole video") == 1)
    }
}
