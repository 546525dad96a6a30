import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Streams of several files in one")
struct MuxedFilesTests {
    private let directory: TemporaryDirectory
    private let video: String

    init() throws {
        directory = try TemporaryDirectory()
        video = directory.file("video.mkv")
        try MovieRecipe(VideoRecipe(), nil).write(to: video)
    }

    private func audio(_ name: String) throws -> String {
        let path = directory.file(name)
        try MovieRecipe { $0.audio = [.ac3, .pcm] }.write(to: path)
        return path
    }

    private func mux(
        _ input: String, _ additions: [String], _ change: (inout MuxJob) -> Void = { _ in }
    ) throws -> MediaFile {
        var job = MuxJob(input: input, output: directory.file("out.mkv"))
        job.additions = additions
        change(&job)
        _ = try job.combine(Cancellation())
        return try MediaFile(job.output)
    }

    private func refusal(
        _ input: String, _ additions: [String], _ change: (inout MuxJob) -> Void = { _ in }
    ) -> ErrorKind? {
        do {
            _ = try mux(input, additions, change)
            return nil
        } catch { return (error as? TranscodeError)?.kind }
    }

    @Test("are all in the output, with their metadata")
    func all() throws {
        let file = try mux(video, ["\(try audio("audio.mkv")):language=deu:title=Ton"])
        #expect(file.streams.map(\.codecName) == ["h264", "ac3", "pcm_s16le"])
        #expect(file.streams(.audio).allSatisfy { $0.language == "deu" && $0.metadata["title"] == "Ton" })
        #expect(file.packets(.video).map(\.bytes) == (try MediaFile(video).packets(.video).map(\.bytes)))
    }

    @Test("a byte stream gets its times first, and leaves no other file")
    func byteStream() throws {
        let stream = directory.file("video.h264")
        var extraction = ExtractJob(input: video)
        extraction.output = stream
        _ = try extraction.run(Cancellation())
        let before = directory.names
        let file = try mux(stream, [try audio("audio.mkv")]) { $0.frameRate = 50 }
        #expect(file.packets(.video).count == 25 && file.streams(.audio).count == 2)
        #expect(abs((file.times(.video).last ?? 0) - 0.48) < 0.002)
        #expect(Set(directory.names).subtracting(before) == ["audio.mkv", "out.mkv"])
    }

    @Test("incompatible streams are refused")
    func refused() throws {
        let other = try audio("audio.mkv")
        #expect(refusal(video, [video]) == .inputNoAudio)
        #expect(refusal(video, [directory.file("none.mka")]) == .inputNotFound)
        #expect(refusal(video, [":language=deu"]) == .badValue)
        #expect(refusal(other, [other]) == .inputNoVideo)
        #expect(refusal(video, [other]) { $0.frameRate = 25 } == .conflict)
        #expect(refusal(video, [other]) { $0.output = other } == .outputIsInput)
        #expect(refusal(video, [other]) { ($0.output, $0.overwrite) = (other, .replace) } == .outputIsInput)
    }
}
