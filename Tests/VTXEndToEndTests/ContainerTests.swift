import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Output files")
struct ContainerTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("the index comes first in MP4 and QuickTime", arguments: ["mp4", "mov", "m4v"])
    func fastStart(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        try MovieRecipe(VideoRecipe(), .aac).write(to: input)
        _ = try Run.transcode(input, to: output)
        let boxes = BoxWalk.topLevel(try Files.read(output))
        let index = try #require(boxes.firstIndex(of: "moov"))
        let media = try #require(boxes.firstIndex(of: "mdat"))
        #expect(boxes.first == "ftyp" && index < media)
    }

    @Test("each fragment has its index, with the same times", arguments: ["mp4", "mov"], VideoCodec.ofNALUnits)
    func fragments(pathExtension: String, codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        let recipe = VideoRecipe {
            $0.sampleAspectRatio = Rational(16, 15)
            $0.frameCount = 60
        }
        try MovieRecipe(recipe, .aac).write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.codec = codec
            $0.isFragmented = true
            $0.keyFrameInterval = KeyFrameInterval(frames: 20)
        }
        let boxes = BoxWalk.topLevel(try Files.read(output))
        #expect(boxes.count { $0 == "moof" } >= 3 && boxes.firstIndex(of: "moov") == 1)
        let video = try #require(try MediaFile(output).video)
        #expect(video.sampleAspectRatio == Rational(16, 15) && !video.parameters.extradata.isEmpty)
        expectSame(try Decoded(output).times, try Decoded(input).times, within: 0.001)
        // Priming ends at 0: FFmpeg 5.1 decodes it, 7.1 cuts it off the first frame.
        let audio = try [output, input].map { try Decoded($0, .audio).times.filter { $0 > 0.001 } }
        expectSame(audio[0], audio[1], within: 0.001)
    }

    @Test("a container without fragments is refused", arguments: ["mkv", "ts", "h264"])
    func unfragmented(pathExtension: String) throws {
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = 2 }).write(to: input)
        let error = Run.failure(input, to: directory.file("out.\(pathExtension)")) { $0.isFragmented = true }
        #expect(error?.category == .usage && error?.code == "output.fragmented")
    }

    @Test("HEVC is tagged hvc1, as Apple's players require", arguments: ["mp4", "mov"])
    func hvc1(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        try MovieRecipe(VideoRecipe { $0.frameCount = 5 }).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.codec = .hevc }
        let video = try #require(try MediaFile(output).video)
        #expect(video.parameters.codecTag == OutputStreamDescription.tag("hvc1"))
        // Parameter sets are in the header only.
        let types = try MediaFile(output).packets(.video).flatMap {
            NALUnits.types($0.bytes, .hevc, isAnnexB: false)
        }
        #expect(NALUnits.parameterSets(.hevc).isDisjoint(with: types) && !types.isEmpty)
    }

    @Test("without a name the output is next to the input")
    func automaticName() throws {
        let input = directory.file("clip.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = 5 }).write(to: input)
        #expect(Run.failure(input, to: nil) == nil)
        #expect(directory.names == ["clip.h264.mkv", "clip.mkv"])
    }

    @Test(
        "sources of every container are read",
        arguments: [
            ("frag_keyframe+empty_moov", "mp4"), ("frag_every_frame+empty_moov+default_base_moof", "mp4"),
            ("+faststart", "mov"),
        ])
    func fragmented(flags: String, pathExtension: String) throws {
        let (input, output) = (directory.file("in.\(pathExtension)"), directory.file("out.mkv"))
        try MovieRecipe(VideoRecipe(), .aac) { $0.muxerOptions = [("movflags", flags)] }.write(to: input)
        let run = try Run.transcode(input, to: output)
        #expect(run.result.outcome == .completed && run.result.frames == 25)
        expectSame(try Decoded(output).times, try Decoded(input).times, within: 0.0005 + 1e-9)
    }

    @Test("events are in order: a plan, increasing progress, and a result that matches the file")
    func events() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(VideoRecipe(), .aac).write(to: input)
        let run = try Run.transcode(input, to: output)
        #expect(run.progress.last?.phase == .verifying && run.progress.last?.frames == 25)
        #expect(run.progress.map(\.frames) == run.progress.map(\.frames).sorted())
        #expect(run.result.frames == 25 && abs(run.result.seconds - 1) < 0.001)
        #expect(run.result.bytes == Int64(try Files.read(output).count) && run.result.output == output)
        #expect(run.result.outcome == .completed && run.notices.isEmpty)
        #expect(run.plan.video.expectedFrames == 25 || run.plan.video.expectedFrames == 26)
        #expect(run.plan.ffmpegCommand.first == "ffmpeg" && run.plan.ffmpegCommand.last == output)
    }

    @Test(
        ".m2ts and .mts have an arrival time for each packet, .ts does not",
        arguments: [("out.m2ts", 192), ("out.MTS", 192), ("out.ts", 188)])
    func packetSizes(name: String, size: Int) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file(name))
        try MovieRecipe(VideoRecipe(), .mp2).write(to: input)
        _ = try Run.transcode(input, to: output)
        let bytes = try Files.read(output)
        #expect(bytes.count % size == 0)
        #expect(stride(from: size - 188, to: bytes.count, by: size).allSatisfy { bytes[$0] == 0x47 })
        #expect(try Decoded(output).frames.count == 25)
    }

    @Test("the ffmpeg command passes encoder options only to the encoded video, and keeps full range")
    func commandBesidesCover() throws {
        let input = directory.file("in.mp4")
        try MovieRecipe(VideoRecipe { $0.color.isFullRange = true }, .aac) { $0.hasCoverArt = true }.write(to: input)
        let run = try Run.transcode(input, to: directory.file("out.mp4")) {
            ($0.codec, $0.size) = (.hevc, SizeRequest(80, 48))
        }
        let command = run.plan.ffmpegCommand
        #expect(command.contains("-filter:\(run.plan.videoIndex)") && command.contains("-tag:\(run.plan.videoIndex)"))
        let format = try #require(command.firstIndex(of: "-pix_fmt:\(run.plan.videoIndex)"))
        #expect(command[format + 1] == "yuvj420p")
    }

    @Test("the ffmpeg command keeps the first time", arguments: [("mkv", "-copyts"), ("ts", "-output_ts_offset")])
    func commandStart(pathExtension: String, option: String) throws {
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe()) { $0.startSeconds = pathExtension == "ts" ? 0 : 5 }.write(to: input)
        let run = try Run.transcode(input, to: directory.file("out.\(pathExtension)"))
        #expect(run.plan.ffmpegCommand.contains(option))
    }

    @Test("a transport stream starts at zero in other containers, unless its start is requested")
    func transportStart() throws {
        let input = directory.file("in.ts")
        try MovieRecipe(VideoRecipe(), .aac) { $0.startSeconds = 1.4 }.write(to: input)
        for (policy, expected) in [(TimestampPolicy.auto, 0.0), (.source, 1.4)] {
            let output = directory.file("\(policy).mp4")
            _ = try Run.transcode(input, to: output) { $0.timestamps = policy }
            #expect(abs((try Decoded(output).times.first ?? -1) - expected) < 0.1)
        }
    }

    @Test("MP2 audio, which browsers do not play, becomes AAC in MP4, and is kept in QuickTime")
    func broadcastAudio() throws {
        let input = directory.file("in.ts")
        try MovieRecipe(VideoRecipe(), .mp2).write(to: input)
        for (pathExtension, codec) in [("mp4", "aac"), ("mov", "mp2")] {
            let output = directory.file("out.\(pathExtension)")
            let run = try Run.transcode(input, to: output)
            #expect(try MediaFile(output).streams(.audio).map(\.codecName) == [codec])
            #expect(run.messages("conversion.audio").count == (codec == "aac" ? 1 : 0))
        }
    }

    @Test("the container signals a constant frame rate")
    func frameRate() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(VideoRecipe { $0.frameRate = Rational(30000, 1001) }).write(to: input)
        _ = try Run.transcode(input, to: output)
        let rate = try #require(try MediaFile(output).video).averageFrameRate
        #expect(abs(rate.value - 30000.0 / 1001) < 0.01)
    }

    @Test("a transport stream of a few packets is read")
    func shortTransportStream() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.ts"))
        let picture = VideoRecipe {
            $0.picture = "color=c=black"
            $0.size = PixelSize(16, 16)
            $0.frameCount = 1
        }
        try MovieRecipe(picture).write(to: input)
        #expect(try Run.transcode(input, to: output).result.frames == 1)
        #expect(try Files.read(output).count < 10 * 188)
        #expect(try Decoded(output).frames.count == 1)
    }

    @Test("audio that begins long after the video in a transport stream is found")
    func lateSound() throws {
        let (input, output) = (directory.file("in.ts"), directory.file("out.mkv"))
        let video = VideoRecipe {
            $0.size = PixelSize(64, 48)
            $0.frameRate = Rational(5, 1)
            $0.frameCount = 110
        }
        try MovieRecipe(video, .mp2) { $0.audioDelay = 20 }.write(to: input)
        let run = try Run.transcode(input, to: output)
        let file = try MediaFile(output)
        #expect(file.streams(.audio).count == 1, "\(run.notices)")
        #expect(abs((file.times(.audio).first ?? 0) - (file.times(.video).first ?? 0) - 20) < 0.1)
    }
}
