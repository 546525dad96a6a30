import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Copied video")
struct CopyTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Three GOPs with B frames; the last one has 40 frames.
    private static let h264 = VideoRecipe {
        $0.options = [("preset", "veryfast"), ("x264-params", "bframes=3:b-adapt=0:scenecut=0")]
        ($0.keyFrameInterval, $0.frameCount) = (30, 100)
    }

    /// Open GOPs: leading frames refer to the previous GOP.
    private static let hevc = VideoRecipe {
        $0.encoder = "libx265"
        $0.options = [
            ("preset", "ultrafast"),
            ("x265-params", "log-level=error:bframes=3:b-adapt=0:open-gop=1:scenecut=0:keyint=30:min-keyint=30"),
        ]
        ($0.keyFrameInterval, $0.frameCount) = (30, 100)
    }

    private func copy(
        _ input: String, to output: String, _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws -> Run {
        try Run.transcode(input, to: output) {
            Self.copying(&$0)
            change(&$0)
        }
    }

    private static func copying(_ request: inout TranscodeRequest) {
        (request.codec, request.preset, request.copiesVideo) = (nil, .balanced, true)
    }

    struct Pair: Sendable, CustomTestStringConvertible {
        var name: String
        var recipe: VideoRecipe
        var input: String
        var output: String
        var testDescription: String { "\(name): \(input) to \(output)" }

        static let all =
            ["mp4", "mkv", "ts"].flatMap { input in
                ["mp4", "mov", "mkv", "ts"].flatMap { output in
                    [
                        Pair(name: "H.264", recipe: h264, input: input, output: output),
                        Pair(name: "HEVC", recipe: hevc, input: input, output: output),
                    ]
                }
            } + [
                Pair(name: "MPEG-2", recipe: .coded("mpeg2video"), input: "ts", output: "mkv"),
                Pair(name: "VP9", recipe: .coded("libvpx-vp9"), input: "mkv", output: "webm"),
            ]
    }

    @Test("has every frame at its time, unchanged", arguments: Pair.all)
    func whole(pair: Pair) throws {
        let (input, output) = (directory.file("in.\(pair.input)"), directory.file("out.\(pair.output)"))
        try MovieRecipe(pair.recipe, pair.output == "webm" ? .opus : .aac).write(to: input)
        let run = try copy(input, to: output)
        let (before, after) = (try Decoded(input), try Decoded(output))
        #expect(after.errors == 0 && run.result.frames == before.frames.count)
        #expect(zip(before.frames, after.frames).allSatisfy { $0.psnr(against: $1) > 99 })
        let shift = (after.times.first ?? 0) - (before.times.first ?? 0)
        expectSame(after.times, before.times.map { $0 + shift }, within: 0.0011)
        #expect(run.plan.streams.allSatisfy { $0.action == .copy } && run.plan.video.encoding == nil)
    }

    @Test("works with converted audio, on the same timeline")
    func audio() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(Self.h264, .ac3) { $0.audioDelay = 0.3 }.write(to: input)
        _ = try copy(input, to: output) { $0.audio = .encode(.aac) }
        let (before, after) = (try MediaFile(input), try MediaFile(output))
        #expect(after.packets(.video).map(\.bytes) == before.packets(.video).map(\.bytes))
        #expect(after.streams(.audio).first?.codecName == "aac" && after.packets(.video).count == 100)
        let gaps = [before, after].map { ($0.times(.audio).first ?? -9) - ($0.times(.video).first ?? -9) }
        #expect(abs(gaps[0] - gaps[1]) < 0.03)
    }

    @Test(
        "begins at a key frame, and has every frame from it to the end, in presentation and decoding order",
        arguments: Pair.all.filter { $0.recipe.keyFrameInterval == 30 })
    func cut(pair: Pair) throws {
        let (input, output) = (directory.file("in.\(pair.input)"), directory.file("out.\(pair.output)"))
        try MovieRecipe(pair.recipe).write(to: input)
        // Frame 42; the key frames are 30 and 60.
        let run = try copy(input, to: output) { ($0.start, $0.duration) = (1.7, 1) }
        let (before, after) = (try Decoded(input).frames, try Decoded(output))
        // Frames up to 67 may refer to a few frames after it.
        #expect(after.errors == 0 && (38...42).contains(after.frames.count))
        #expect(zip(before[30...], after.frames).allSatisfy { $0.psnr(against: $1) > 99 })
        let first = after.times.first ?? 0
        expectSame(after.times, after.frames.indices.map { first + Double($0) / 25 }, within: 0.0011)
        let notice = try #require(run.messages("range.keyFrame").first)
        #expect(notice.contains("1.2 s") && notice.contains("1.7 s"))
        #expect(try MediaFile(output).packets(.video).first?.isKeyFrame == true)
    }

    @Test("a cut at a key frame has no notice")
    func cutAtKeyFrame() throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.mp4"))
        try MovieRecipe(Self.h264).write(to: input)
        let run = try copy(input, to: output) { $0.start = 2.4 }
        #expect(run.notices.isEmpty && run.result.frames == 40)
    }

    @Test("of MPEG-2 and MPEG-4 gets PTS that the container omits")
    func derivedTimes() throws {
        let (input, output) = (directory.file("in.mpg"), directory.file("out.mkv"))
        let recipe = VideoRecipe {
            $0.encoder = "mpeg2video"
            ($0.options, $0.bFrames, $0.bitrate) = ([], 2, 2_000_000)
            $0.size = PixelSize(160, 96)
        }
        try MovieRecipe(recipe).write(to: input)
        _ = try copy(input, to: output)
        let (before, after) = (try Decoded(input), try Decoded(output))
        #expect(after.frames.count == 25)
        #expect(zip(before.frames, after.frames).allSatisfy { $0.psnr(against: $1) > 99 })
        #expect(zip(after.times, after.times.dropFirst()).allSatisfy { abs($1 - $0 - 0.04) < 0.0011 })
    }

    @Test("without times is refused: H.264 in AVI, and byte streams", arguments: ["avi", "h264"])
    func noTimes(pathExtension: String) throws {
        let input = directory.file("in.\(pathExtension)")
        try MovieRecipe(Self.h264).write(to: input)
        let error = Run.failure(input, to: directory.file("out.mp4"), Self.copying)
        #expect(error?.kind == .inputNoTimestamps && directory.names == ["in.\(pathExtension)"])
    }

    @Test("needs a container with its codec, and the error names them")
    func container() throws {
        let input = directory.file("in.mkv")
        try MovieRecipe(Self.h264).write(to: input)
        let error = Run.failure(input, to: directory.file("out.webm"), Self.copying)
        #expect(error?.kind == .outputCodec && error?.hint?.contains(".mp4") == true)
        #expect(directory.names == ["in.mkv"])
    }

    @Test("cannot begin beyond the end")
    func beyond() throws {
        let input = directory.file("in.mp4")
        try MovieRecipe(Self.h264).write(to: input)
        let error = Run.failure(input, to: directory.file("out.mp4")) {
            Self.copying(&$0)
            $0.start = 9
        }
        #expect(error?.kind == .rangeEmpty && directory.names == ["in.mp4"])
    }

    @Test("excludes picture options", arguments: [OptionName.codec, .quality, .size, .lowPower, .verify])
    func conflicts(option: OptionName) throws {
        let values: Settings = [.codec: "hevc", .quality: "70", .size: "160x96", .lowPower: "on", .verify: "full"]
        let error = #expect(throws: TranscodeError.self) {
            try TranscodeRequest(input: "in.mp4", settings: [.copyVideo: "true", option: try #require(values[option])])
        }
        #expect(error?.kind == .conflict)
    }

    @Test("loses its rotation only with a notice")
    func rotation() throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.mkv"))
        var recipe = Self.h264
        recipe.displayMatrix = .turning(.rotated90)
        try MovieRecipe(recipe).write(to: input)
        let run = try copy(input, to: output)
        #expect(run.messages("downgrade.rotation").count == 1)
        let kept = try copy(input, to: directory.file("out.mov"))
        #expect(kept.notices.isEmpty)
        #expect(try MediaFile(directory.file("out.mov")).video?.displayMatrix?.orientation == .rotated90)
    }
}
