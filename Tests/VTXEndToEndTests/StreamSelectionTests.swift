import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Stream selection")
struct StreamSelectionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    struct Selected: Sendable, CustomTestStringConvertible {
        var text: String
        var languages: [String]
        var testDescription: String { text }
    }

    @Test(
        "streams are chosen by position and language",
        arguments: [
            Selected(text: "all", languages: ["eng", "deu"]), Selected(text: "none", languages: []),
            Selected(text: "0", languages: ["eng"]), Selected(text: "deu", languages: ["deu"]),
            Selected(text: "1,eng", languages: ["deu", "eng"]), Selected(text: "7,deu", languages: ["deu"]),
        ])
    func selection(test: Selected) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try StreamTests.clip.write(to: input)
        let filter = try #require(StreamFilter(test.text))
        _ = try Run.transcode(input, to: output) { $0.selection.audio = filter }
        let file = try MediaFile(output)
        #expect(file.streams(.audio).map(\.language) == test.languages)
        #expect(file.streams(.subtitle).count == 1)
    }

    @Test(
        "missing requested streams are refused, with the existing ones",
        arguments: ["7", "ita", "2,ita"])
    func selectionOfNothing(text: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try StreamTests.clip.write(to: input)
        let filter = try #require(StreamFilter(text))
        let audio = Run.failure(input, to: output) { $0.selection.audio = filter }
        #expect(audio?.category == .unsupported && audio?.code == "audio.selection")
        #expect(audio?.message.hasSuffix("it has 0 (eng), 1 (deu)") == true)
        let subtitles = Run.failure(input, to: output) { $0.selection.subtitles = filter }
        #expect(subtitles?.category == .unsupported && subtitles?.code == "subtitle.selection")
        #expect(directory.names == ["in.mkv"])
    }

    @Test("a list may name missing streams, with a warning")
    func selectionOfMore() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try StreamTests.clip.write(to: input)
        let run = try Run.transcode(input, to: output) {
            $0.selection.audio = .only([.language("fra"), .position(0)])
        }
        let warning = run.plan.notices.first { $0.code == "audio.selection" }
        #expect(warning?.category == .warning && warning?.message.contains("is fra;") == true)
    }

    @Test("a clip without audio is refused only if audio was requested")
    func selectionInSilence() throws {
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = 5 }).write(to: input)
        _ = try Run.transcode(input, to: directory.file("out.mkv"))
        _ = try Run.transcode(input, to: directory.file("silent.mkv")) {
            $0.audio = .none
            $0.selection.audio = .only([.position(0)])
        }
        let error = Run.failure(input, to: directory.file("no.mkv")) { $0.selection.audio = .only([.position(0)]) }
        #expect(error?.message.hasSuffix("is 0; it has none") == true)
    }

    @Test("another video stream can be selected, and a missing one is refused")
    func videoPosition() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        let second = VideoRecipe { $0.size = PixelSize(64, 48) }
        try MovieRecipe { $0.video = [VideoRecipe(), second] }.write(to: input)
        let run = try Run.transcode(input, to: output) { $0.selection.video = 1 }
        #expect(run.plan.video.source.size == PixelSize(64, 48))
        let error = Run.failure(input, to: directory.file("no.mkv")) { $0.selection.video = 2 }
        #expect(error?.category == .unsupported && error?.code == "video.position")
    }

    @Test("other video streams can be dropped, which is no loss", arguments: ["mkv", "h264"])
    func otherVideo(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        let (second, third) = (VideoRecipe { $0.size = PixelSize(64, 48) }, VideoRecipe { $0.size = PixelSize(96, 64) })
        try MovieRecipe { $0.video = [VideoRecipe(), second, third] }.write(to: input)
        let alone = try Run.transcode(input, to: output) { $0.selection.otherVideo = .none }
        #expect(try MediaFile(output).streams(.video).count == 1 && alone.notices.isEmpty)
        let pair = directory.file("pair.mkv")
        _ = try Run.transcode(input, to: pair) { $0.selection.otherVideo = .only([.position(2)]) }
        #expect(try MediaFile(pair).streams(.video).map(\.parameters.size) == [PixelSize(160, 96), PixelSize(96, 64)])
    }
}
