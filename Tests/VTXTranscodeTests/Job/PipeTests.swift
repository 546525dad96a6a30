import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Standard input and output instead of files")
struct PipeTests {
    init() { signal(SIGPIPE, SIG_IGN) }

    /// Transcodes from or into a file's descriptor if the paths are `-`.
    private func transcode(
        _ input: String, _ output: String, reading: String? = nil, writing: Int32 = -1,
        _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws -> (result: TranscodeResult, events: [PipeEvent]) {
        var request = TranscodeRequest(input: input, output: output)
        (request.codec, request.preset) = (.h264, .fast)
        change(&request)
        let number = try reading.map { try FileDescriptor(opening: $0).release() }
        defer { if let number { close(number) } }
        let events = Locked<[PipeEvent]>([])
        let pipes = TranscodePipes(input: number ?? -1, output: writing) { event in events.withLock { $0.append(event) }
        }
        let job = TranscodeJob(
            request, backends: [SoftwareBackend()], pipes: pipes, cancellation: Cancellation()
        ) { _ in }
        return (try job.run(), events.withLock { $0 })
    }

    private func failure(
        _ input: String, _ output: String, reading: String? = nil, writing: Int32 = -1
    ) throws -> ErrorKind? {
        do {
            _ = try transcode(input, output, reading: reading, writing: writing)
            return nil
        } catch let error as TranscodeError { return error.kind }
    }

    private func bytes(_ path: String) throws -> [UInt8] { try FileDescriptor(opening: path).readAll(limit: 1 << 24) }

    private func digests(_ path: String) throws -> [String] {
        try MediaFile(path).packets(.video).map { SHA256.hexadecimal($0.bytes) }
    }

    @Test("the output equals that with files", arguments: [Container.mkv, .mp4, .ts, .h264], [true, false])
    func sameOutput(container: Container, copies: Bool) throws {
        let clip = try SourceClip(frames: 30)
        let paths = ["file", "pipe"].map { clip.directory.file("\($0).\(container.fileExtensions[0])") }
        let change: (inout TranscodeRequest) -> Void = {
            ($0.format, $0.isFragmented, $0.digestsPipes) = (container, container == .mp4, true)
            if copies { ($0.codec, $0.preset, $0.copiesVideo) = (nil, .balanced, true) }
        }
        _ = try transcode(clip.path, paths[0], change)
        let output = try FileDescriptor(opening: paths[1], O_WRONLY | O_CREAT).release()
        defer { close(output) }
        let (result, events) = try transcode("-", "-", reading: clip.path, writing: output, change)
        #expect(result.frames == 30 && result.outcome == .completed && result.output == "-")
        // An encoder with several threads is not always deterministic.
        if copies { #expect(try digests(paths[0]) == digests(paths[1])) }
        #expect(try MediaFile(paths[0]).times(.video) == MediaFile(paths[1]).times(.video))
        #expect(events.filter { $0 == .used }.count == 1)
        #expect(result.pipedSource?.sha256 == SHA256.hexadecimal(try bytes(clip.path)))
        #expect(result.pipedOutput?.sha256 == SHA256.hexadecimal(try bytes(paths[1])))
        #expect(result.pipedOutput?.count == result.bytes && result.bytes == FileStatus(paths[1])?.byteCount)
    }

    @Test("a cut reads no further than its end")
    func part() throws {
        let clip = try SourceClip(frames: 50)
        let change: (inout TranscodeRequest) -> Void = { ($0.start, $0.duration) = (0.4, 0.8) }
        let paths = ["file.mkv", "pipe.mkv"].map(clip.directory.file)
        _ = try transcode(clip.path, paths[0], change)
        #expect(try transcode("-", paths[1], reading: clip.path, change).result.frames == 20)
        #expect(try MediaFile(paths[0]).times(.video) == MediaFile(paths[1]).times(.video))
    }

    @Test("video is copied from pipe to pipe")
    func copied() throws {
        let clip = try SourceClip(frames: 30)
        let path = clip.directory.file("out.ts")
        let output = try FileDescriptor(opening: path, O_WRONLY | O_CREAT).release()
        defer { close(output) }
        let (result, _) = try transcode("-", "-", reading: clip.path, writing: output) {
            ($0.codec, $0.preset, $0.copiesVideo, $0.format) = (nil, .balanced, true, .ts)
        }
        #expect(result.frames == 30)
        #expect(try MediaFile(path).packets(.video).count == 30)
    }

    @Test("an MP4 with its index at the end cannot be piped; with the index first it can")
    func movies() throws {
        let directory = try TemporaryDirectory()
        let (last, first) = (directory.file("last.mp4"), directory.file("first.mp4"))
        try MovieRecipe(VideoRecipe()).write(to: last)
        try MovieRecipe(VideoRecipe()) { $0.muxerOptions = [("movflags", "faststart")] }.write(to: first)
        #expect(try failure("-", directory.file("out.mkv"), reading: last) == .inputNotStreamable)
        #expect(try failure("-", directory.file("out.mkv"), reading: first) == nil)
    }

    @Test("a truncated input is reported, although a pipe has no length")
    func truncated() throws {
        let clip = try SourceClip(frames: 50)
        let cut = clip.directory.file("cut.mkv")
        let bytes = try bytes(clip.path)
        try AtomicFile.write(Array(bytes.prefix(bytes.count * 2 / 3)), to: cut, replaces: false)
        let (result, _) = try transcode("-", clip.directory.file("out.mkv"), reading: cut)
        #expect(result.outcome == .incompleteSource)
        #expect(result.notices.contains { $0.kind == .sourceEndedEarly })
    }

    @Test("empty input, a missing descriptor and other data have their own errors")
    func noInput() throws {
        let directory = try TemporaryDirectory()
        let (empty, text) = (directory.file("empty"), directory.file("text"))
        try AtomicFile.write("", to: empty, replaces: false)
        try AtomicFile.write(String(repeating: "no media\n", count: 999), to: text, replaces: false)
        let output = directory.file("out.mkv")
        #expect(try failure("-", output, reading: empty) == .inputPipe)
        #expect(try failure("-", output) == .inputPipe)
        #expect(try failure("-", output, reading: text) == .inputNotMedia)
        #expect(try failure(try SourceClip(frames: 2).path, "-") == .outputPipe)
    }

    @Test("a closed reader is an error, and so is an output that is the source")
    func readerGone() throws {
        let clip = try SourceClip(frames: 5)
        let writing = try Pipe().takeWriting().release()
        defer { close(writing) }
        #expect(try failure(clip.path, "-", writing: writing) == .outputReader)
        let source = try FileDescriptor(opening: clip.path, O_WRONLY | O_APPEND).release()
        defer { close(source) }
        #expect(try failure(clip.path, "-", writing: source) == .outputIsInput)
    }
}
