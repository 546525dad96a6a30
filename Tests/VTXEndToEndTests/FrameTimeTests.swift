import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Every frame is output at its time")
struct FrameTimeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    enum Source: String, CaseIterable, Sendable {
        case steady
        case bFrames
        case variable
        case startOffset
        case broadcast
        case variableBFrames

        var movie: MovieRecipe {
            var movie = MovieRecipe(VideoRecipe { $0.frameCount = 30 })
            switch self {
            case .steady: break
            case .bFrames: movie.video[0].options = Source.pyramid
            case .variable: movie.video[0].makeUneven()
            case .startOffset: movie.startSeconds = 0.5
            case .broadcast: movie.video[0].frameRate = Rational(30000, 1001)
            case .variableBFrames:
                movie.video[0].options = Source.pyramid
                movie.video[0].makeUneven()
            }
            return movie
        }

        private static let pyramid = [
            ("preset", "veryfast"), ("x264-params", "bframes=4:b-pyramid=normal:b-adapt=0"),
        ]
    }

    @Test("from and to every container", arguments: Source.allCases, ["mp4", "mov", "mkv", "ts"])
    func times(source: Source, pathExtension: String) throws {
        let input = directory.file("in.mkv")
        try source.movie.write(to: input)
        let output = directory.file("out.\(pathExtension)")
        let run = try Run.transcode(input, to: output)
        let (before, after) = (try Decoded(input), try Decoded(output))
        let file = try MediaFile(output)
        #expect(after.errors == 0)
        // DTS begins before the first PTS, and MPEG-TS has no negative times: one second is added.
        let lead = pathExtension == "ts" && source != .startOffset ? 1.0 : 0
        expectSame(after.times, before.times.map { $0 + lead }, within: halfTick(of: file))
        #expect(run.result.frames == before.frames.count && run.result.outcome == .completed)
        #expect(file.packets(.video).count == before.frames.count)
    }

    @Test(
        "from every container, and from zero for a program stream with any start",
        arguments: ["mp4", "mov", "ts", "avi", "mpg"])
    func sources(pathExtension: String) throws {
        let input = directory.file("in.\(pathExtension)")
        let recipe = pathExtension == "mpg" ? VideoRecipe.coded("mpeg2video") : VideoRecipe()
        try MovieRecipe(recipe).write(to: input)
        let output = directory.file("out.mkv")
        _ = try Run.transcode(input, to: output)
        let (before, after) = (try Decoded(input).times, try Decoded(output).times)
        #expect(before.count == 25)
        let start = pathExtension == "mpg" ? try #require(before.first) : 0
        expectSame(after, before.map { $0 - start }, within: 0.0005 + 1e-9)
    }

    @Test("the frames are the source's, in its order", arguments: [VideoCodec.h264, .hevc])
    func pictures(codec: VideoCodec) throws {
        let input = directory.file("in.mkv")
        let output = directory.file("out.mp4")
        try MovieRecipe(.intra("ffv1", "yuv420p")).write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.codec = codec
            $0.rateControl = Quality(95).map { .quality($0) }
        }
        let (before, after) = (try Decoded(input).frames, try Decoded(output).frames)
        #expect(before.count == after.count)
        for (old, new) in zip(before, after) { #expect(old.psnr(against: new) > 35) }
    }

    @Test("a chosen rate gives frames at that rate over the same duration", arguments: [(50, 50), (10, 10)])
    func frameRate(rate: Int, count: Int) throws {
        let input = directory.file("in.mkv")
        let output = directory.file("out.mp4")
        try MovieRecipe(VideoRecipe()).write(to: input)
        let run = try Run.transcode(input, to: output) { $0.frameRate = Rational(rate, 1) }
        let times = try Decoded(output).times
        #expect(abs(times.count - count) <= 1)
        #expect(run.result.frames == times.count)
        expectSame(times, times.indices.map { Double($0) / Double(rate) }, within: 1e-4)
    }

    @Test("a raw stream without a frame rate has 25, with a notice, or the given one")
    func rawFrameRate() throws {
        let (input, output) = (directory.file("in.h265"), directory.file("out.mp4"))
        func write(_ timing: Int) throws {
            let recipe = VideoRecipe {
                $0.encoder = "libx265"
                $0.options = [("preset", "ultrafast"), ("x265-params", "log-level=error:vui-timing-info=\(timing)")]
                $0.frameRate = Rational(50, 1)
            }
            try MovieRecipe(recipe).write(to: input)
        }
        func times(_ rate: Rational?) throws -> (Run, [Double]) {
            let run = try Run.transcode(input, to: output) {
                $0.inputFrameRate = rate
                $0.overwrite = .replace
            }
            return (run, try MediaFile(output).times(.video))
        }
        try write(0)
        let (assumed, slow) = try times(nil)
        #expect(assumed.messages("source.frameRate").first?.contains("25") == true && slow[1] == 0.04)
        let (asked, fast) = try times(50)
        #expect(asked.messages("source.frameRate").isEmpty && fast[1] == 0.02 && fast.count == 25)
        #expect(asked.plan.video.constantFrameRate == 50)
        try write(1)
        let (declared, own) = try times(nil)
        #expect(declared.messages("source.frameRate").isEmpty && own[1] == 0.02)
        #expect(try times(10).1[1] == 0.1)
    }

    @Test("a raw stream that signals 25 frames per second has no notice", arguments: ["h264", "h265", "m2v"])
    func toldFrameRate(pathExtension: String) throws {
        let input = directory.file("in.\(pathExtension)")
        try MovieRecipe(
            pathExtension == "h264" ? VideoRecipe() : pathExtension == "h265" ? .hevc : .coded("mpeg2video")
        ).write(to: input)
        #expect(try Run.transcode(input, to: directory.file("out.mkv")).notices.isEmpty)
    }

    @Test("a source with times refuses an input frame rate", arguments: ["mkv", "mp4", "ts"])
    func noRawFrameRate(pathExtension: String) throws {
        let input = directory.file("in.\(pathExtension)")
        try MovieRecipe(VideoRecipe()).write(to: input)
        let error = Run.failure(input, to: directory.file("out.mkv")) { $0.inputFrameRate = 30 }
        #expect(error?.code == "input.frameRate" && error?.category == .usage)
    }

    @Test(
        "an elementary stream without times gets its frame rate's", arguments: ["h264", "h265"],
        [Rational(25, 1), Rational(50, 1), Rational(24000, 1001)])
    func elementary(pathExtension: String, rate: Rational) throws {
        let input = directory.file("in.\(pathExtension)")
        var recipe = pathExtension == "h264" ? VideoRecipe() : .hevc
        recipe.frameRate = rate
        try MovieRecipe(recipe).write(to: input)
        let output = directory.file("out.mkv")
        let run = try Run.transcode(input, to: output)
        #expect(run.plan.video.constantFrameRate == rate)
        let times = try Decoded(output).times
        expectSame(times, (0..<25).map { Double($0) / rate.value }, within: 0.0005 + 1e-9)
    }

    @Test(
        "a byte stream has every frame, and parameter sets before each key frame",
        arguments: VideoCodec.ofNALUnits)
    func byteStreams(codec: VideoCodec) throws {
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe()).write(to: input)
        let output = directory.file(codec == .h264 ? "out.h264" : "out.h265")
        _ = try Run.transcode(input, to: output) {
            $0.codec = nil
            $0.keyFrameInterval = KeyFrameInterval(frames: 10)
        }
        #expect(try Decoded(output).frames.count == 25)
        let bytes = try Files.read(output)
        #expect(bytes.starts(with: [0, 0, 0, 1]) || bytes.starts(with: [0, 0, 1]))
        let types = NALUnits.types(bytes, codec, isAnnexB: true)
        #expect(types.count { NALUnits.isIDR($0, codec) } >= 3)
        for set in NALUnits.parameterSets(codec) { #expect(types.count { $0 == set } >= 3) }
    }

    @Test("B frames can be disabled", arguments: VideoCodec.ofNALUnits)
    func noReordering(codec: VideoCodec) throws {
        let input = directory.file("in.mkv")
        let output = directory.file("out.mkv")
        try MovieRecipe(VideoRecipe()).write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.codec = codec
            $0.allowsBFrames = false
        }
        let times = try MediaFile(output).packets(.video).compactMap { $0.pts?.ticks }
        #expect(times.count == 25 && times == times.sorted())
    }

    @Test("key frames keep the requested interval", arguments: VideoCodec.ofNALUnits)
    func keyFrames(codec: VideoCodec) throws {
        let input = directory.file("in.mkv")
        let output = directory.file("out.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = 40 }).write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.codec = codec
            $0.keyFrameInterval = KeyFrameInterval(frames: 12)
        }
        let packets = try MediaFile(output).packets(.video)
        let keys = packets.filter(\.isKeyFrame).compactMap { $0.pts?.seconds }
        #expect(keys.first == 0 && keys.count >= 4)
        for (from, to) in zip(keys, keys.dropFirst()) { #expect(to - from <= 12 / 25.0 + 0.001) }
    }

    @Test("frames with irregular times get key frames by time")
    func keyFramesByClock() throws {
        let input = directory.file("in.mkv")
        let output = directory.file("out.mkv")
        let recipe = VideoRecipe {
            $0.timeBase = Rational(1, 1000)
            $0.times = (0..<Int64(30)).map { $0 * 150 + $0 % 3 * 40 }
        }
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.keyFrameInterval = KeyFrameInterval(seconds: 1) }
        let keys = try MediaFile(output).packets(.video).filter(\.isKeyFrame).compactMap { $0.pts?.seconds }
        #expect(keys.count >= 4)
        // A key frame is at the first frame after the interval: one frame's gap is added.
        for (from, to) in zip(keys, keys.dropFirst()) { #expect(to - from <= 1 + 0.2) }
    }
}

extension VideoRecipe {
    /// Frames at irregular times in milliseconds.
    fileprivate mutating func makeUneven() {
        timeBase = Rational(1, 1000)
        times = (0..<Int64(frameCount)).map { $0 * 40 + ($0 * $0 * 7) % 31 }
    }
}
