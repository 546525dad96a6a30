import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("AV1")
struct AV1Tests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("every frame keeps its time, and every packet can be decoded", arguments: ["mp4", "mkv", "webm"])
    func frames(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        try MovieRecipe(VideoRecipe { $0.frameCount = 60 }, .aac).write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.codec = .av1
            $0.keyFrameInterval = KeyFrameInterval(frames: 20)
            $0.verification = .full
        }
        let video = try #require(try MediaFile(output).video)
        #expect(video.codecName == "av1" && !video.parameters.extradata.isEmpty)
        expectSame(try Decoded(output).times, try Decoded(input).times, within: 0.001)
        #expect(try MediaFile(output).packets[video.index].count(where: \.isKeyFrame) >= 3)
    }

    @Test("every frame keeps its time in fragments")
    func fragments() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(VideoRecipe { $0.frameCount = 60 }, .aac).write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.codec = .av1
            $0.isFragmented = true
            $0.keyFrameInterval = KeyFrameInterval(frames: 20)
        }
        #expect(BoxWalk.topLevel(try Files.read(output)).count { $0 == "moof" } >= 3)
        expectSame(try Decoded(output).times, try Decoded(input).times, within: 0.001)
    }

    @Test("in WebM, AV1 is chosen, audio becomes Opus, text becomes WebVTT")
    func webm() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.webm"))
        try MovieRecipe(VideoRecipe { $0.frameCount = 25 }, .aac).write(to: input)
        let run = try Run.transcode(input, to: output) { $0.codec = nil }
        #expect(try MediaFile(output).streams.map(\.codecName) == ["av1", "opus"])
        #expect(run.messages("conversion.audio").count == 1)
    }

    @Test("HDR10 keeps its ten bits and its metadata", arguments: ["mp4", "mkv"])
    func hdr10(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        try MovieRecipe(.hdr10).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.codec = .av1 }
        #expect(try MediaFile(output).video?.hdrMetadata == .sample)
        let frame = try Decoded(output, limit: 1).frames[0]
        #expect(frame.color.transfer == 16 && frame.color.primaries == 9 && frame.pixelFormat.bitDepth == 10)
        #expect(frame.hdrMetadata == .sample)
    }

    @Test("a container without AV1 is refused", arguments: ["mov", "ts", "h264", "hevc"])
    func refusal(pathExtension: String) throws {
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = 2 }).write(to: input)
        let error = Run.failure(input, to: directory.file("out.\(pathExtension)")) { $0.codec = .av1 }
        #expect(error?.kind == .outputCodec)
        let other = Run.failure(input, to: directory.file("out.webm")) { $0.codec = .hevc }
        #expect(other?.kind == .outputCodec)
    }
}
