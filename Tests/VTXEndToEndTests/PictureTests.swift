import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Aspect ratio, size and rotation")
struct PictureTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "the matrix is kept if the container supports it", arguments: DisplayMatrix.Orientation.allCases,
        ["mp4", "mov"])
    func keepsMatrix(orientation: DisplayMatrix.Orientation, pathExtension: String) throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.\(pathExtension)"))
        var recipe = VideoRecipe.quarters
        recipe.displayMatrix = .turning(orientation)
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output)
        let video = try #require(try MediaFile(output).video)
        #expect((video.displayMatrix ?? .identity).orientation == orientation)
        #expect(video.parameters.size == PixelSize(160, 96))
        let (before, after) = (
            try Decoded(input, limit: 1).frames[0], try Decoded(output, limit: 1).frames[0]
        )
        #expect(before.psnr(against: after) > 30)
    }

    /// The quarters as displayed after the rotation.
    static let shown: [(DisplayMatrix.Orientation, [Int])] = [
        (.upright, [235, 126, 16, 16]), (.rotated90, [16, 235, 16, 126]), (.rotated180, [16, 16, 126, 235]),
        (.rotated270, [126, 16, 235, 16]), (.mirrored, [126, 235, 16, 16]),
        (.mirroredRotated180, [16, 16, 235, 126]), (.mirroredRotated90, [16, 126, 16, 235]),
        (.mirroredRotated270, [235, 16, 126, 16]),
    ]

    @Test("otherwise, or on request, the pixels are rotated", arguments: shown, ["mkv", "ts", "mp4"])
    func bakes(rotation: (DisplayMatrix.Orientation, [Int]), pathExtension: String) throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.\(pathExtension)"))
        var recipe = VideoRecipe.quarters
        recipe.displayMatrix = .turning(rotation.0)
        try MovieRecipe(recipe).write(to: input)
        let run = try Run.transcode(input, to: output) { $0.rotatesPixels = pathExtension == "mp4" }
        let frame = try Decoded(output, limit: 1).frames[0]
        #expect(frame.size == (rotation.0.isTransposed ? PixelSize(96, 160) : PixelSize(160, 96)))
        for (found, wanted) in zip(corners(frame), rotation.1) { #expect(abs(found - wanted) < 12) }
        #expect(try MediaFile(output).video?.displayMatrix == nil)
        #expect(run.messages("conversion.rotation").isEmpty == (pathExtension == "mp4" || rotation.0 == .upright))
    }

    @Test(
        "the ffmpeg command writes no display matrix where vtx writes none",
        arguments: [RotationRequest.none, .quarter, .threeQuarters])
    func commandWithoutMatrix(rotation: RotationRequest) throws {
        let input = directory.file("in.mp4")
        let recipe = VideoRecipe {
            $0.displayMatrix = .turning(.rotated90)
            $0.metadata = [MetadataEntry("language", "deu")]
        }
        try MovieRecipe(recipe).write(to: input)
        let run = try Run.transcode(input, to: directory.file("out.mp4")) { $0.rotation = rotation }
        let words = run.plan.ffmpegCommand
        #expect(words.contains("-noautorotate"))
        let isDropped = rotation != .none
        #expect(words.contains("[drawn]") == isDropped && words.contains { $0.hasSuffix("nullsink") } == isDropped)
        #expect((run.plan.video.displayMatrix == nil) == isDropped)
        // A graph's output has no tags of its input.
        #expect(words.contains("language=deu") == isDropped)
    }

    @Test("the sample aspect ratio is kept", arguments: ["mp4", "mov", "mkv", "ts"], VideoCodec.ofNALUnits)
    func sampleAspect(pathExtension: String, codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        let recipe = VideoRecipe {
            $0.sampleAspectRatio = Rational(16, 15)
            $0.frameCount = 5
        }
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.codec = codec }
        #expect(try MediaFile(output).video?.sampleAspectRatio == Rational(16, 15))
        #expect(try Decoded(output, limit: 1).frames[0].sampleAspectRatio == Rational(16, 15))
    }

    @Test("rotating pixels also rotates the sample aspect ratio")
    func turnedSampleAspect() throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.mkv"))
        let recipe = VideoRecipe {
            $0.sampleAspectRatio = Rational(16, 15)
            $0.displayMatrix = .turning(.rotated90)
            $0.frameCount = 5
        }
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output)
        #expect(try Decoded(output, limit: 1).frames[0].sampleAspectRatio == Rational(15, 16))
    }

    @Test("odd sides lose a column or row, with a notice", arguments: ["yuv420p", "yuv444p", "yuv422p10le"])
    func oddSizes(format: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        var recipe = VideoRecipe.intra("ffv1", format)
        recipe.size = PixelSize(161, 97)
        recipe.frameCount = 5
        try MovieRecipe(recipe).write(to: input)
        let run = try Run.transcode(input, to: output) { $0.rateControl = Quality(95).map { .quality($0) } }
        #expect(try MediaFile(output).video?.parameters.size == PixelSize(160, 96))
        let message = try #require(run.messages("downgrade.size").first)
        #expect(message.contains("161x97") && message.contains("160x96"))
        let (before, after) = (try Decoded(input, limit: 1).frames[0], try Decoded(output, limit: 1).frames[0])
        // Cropped, not scaled: the remaining pixels are in place.
        let step = 1 << (before.pixelFormat.bitDepth - 8)
        let places = stride(from: 0, to: 96, by: 5).flatMap { y in stride(from: 0, to: 160, by: 5).map { ($0, y) } }
        let wrong = places.count { abs(before.luma($0.0, $0.1) / step - after.luma($0.0, $0.1)) > 16 }
        #expect(wrong < places.count / 50)
    }

    @Test(
        "4:4:4 keeps odd sides, and 4:2:2 an odd height",
        arguments: [
            (VideoProfile.high444, "yuv444p", PixelSize(161, 97)), (.main444x8, "yuv444p", PixelSize(161, 97)),
            (.main444x10, "yuv444p10le", PixelSize(161, 97)), (.high422, "yuv422p10le", PixelSize(160, 97)),
        ])
    func oddSizesKept(profile: VideoProfile, format: String, size: PixelSize) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        var recipe = VideoRecipe.intra("ffv1", format)
        recipe.size = PixelSize(161, 97)
        recipe.frameCount = 5
        try MovieRecipe(recipe).write(to: input)
        let run = try Run.transcode(input, to: output) {
            ($0.codec, $0.profile) = (profile.codec, profile)
            $0.rateControl = Quality(95).map { .quality($0) }
        }
        #expect(run.messages("downgrade.size").isEmpty == (size == recipe.size))
        let (before, after) = (try Decoded(input, limit: 1).frames[0], try Decoded(output, limit: 1).frames[0])
        #expect(after.size == size)
        for (x, y) in [(0, 0), (80, 48), (size.width - 1, 96), (3, 96), (size.width - 1, 2)] {
            let step = 1 << (after.pixelFormat.bitDepth - 8)
            #expect(abs(before.luma(x, y) - after.luma(x, y)) < 20 * step)
        }
    }

    @Test(
        "frames that stay interlaced are marked in H.264, and the loss of that in HEVC is reported",
        arguments: VideoCodec.ofNALUnits)
    func staysInterlaced(codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        let recipe = VideoRecipe {
            $0.filters = "tinterlace=interleave_top"
            $0.options += [("flags", "+ildct+ilme")]
        }
        try MovieRecipe(recipe).write(to: input)
        let run = try Run.transcode(input, to: output) { ($0.codec, $0.deinterlace) = (codec, .off) }
        let frames = try Decoded(output).frames
        #expect(frames.allSatisfy { $0.isInterlaced } == (codec == .h264))
        #expect(run.messages("downgrade.interlacing").isEmpty == (codec == .h264))
    }

    @Test(
        "a GOP of one frame does not change the profile",
        arguments: [(VideoProfile.hevcMain, "Main"), (.main10, "Main 10"), (.high, "High")])
    func intraOnly(profile: VideoProfile, name: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(VideoRecipe()).write(to: input)
        _ = try Run.transcode(input, to: output) {
            ($0.codec, $0.profile, $0.keyFrameInterval) = (profile.codec, profile, KeyFrameInterval(frames: 1))
        }
        let file = try MediaFile(output)
        #expect(try #require(file.video).profileName == name)
        #expect(file.packets(.video).allSatisfy(\.isKeyFrame) && file.packets(.video).count == 25)
    }

    @Test("interlaced frames become progressive, each frame once", arguments: ["h264", "mpeg2video"])
    func interlaced(codec: String) throws {
        let input = directory.file(codec == "h264" ? "in.mkv" : "in.mpg")
        let output = directory.file("out.mkv")
        var recipe = codec == "h264" ? VideoRecipe() : VideoRecipe.coded("mpeg2video")
        recipe.filters = "tinterlace=interleave_top"
        recipe.options += [("flags", "+ildct+ilme")]
        try MovieRecipe(recipe).write(to: input)
        #expect(try Decoded(input).frames.contains { $0.isInterlaced }, "the source is interlaced")
        let run = try Run.transcode(input, to: output)
        let (before, after) = (try Decoded(input), try Decoded(output))
        #expect(!after.frames.contains { $0.isInterlaced })
        #expect(after.frames.count == before.frames.count)
        #expect(run.plan.video.encoding?.filter.deinterlacing == .flaggedFrames)
    }

    @Test("a size is reached without changing the aspect ratio", arguments: ScalingMode.allCases)
    func sizes(mode: ScalingMode) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        var recipe = VideoRecipe.intra("ffv1", "yuv420p")
        recipe.picture = "color=c=white"
        recipe.frameCount = 2
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.size = SizeRequest(128, 128)
            $0.scaling = mode
        }
        let frame = try Decoded(output, limit: 1).frames[0]
        #expect(frame.size == PixelSize(128, 128) && frame.luma(64, 64) > 225)
        // 160x96 in 128x128 is 128x76 with bars above and below.
        for row in [2, 20, 107, 125] { #expect((frame.luma(64, row) < 25) == (mode == .letterbox)) }
        for row in [32, 96] { #expect(frame.luma(64, row) > 225) }
    }

    @Test("a size applies to the displayed frame: it rotates with the matrix")
    func turnedSize() throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.mp4"))
        try MovieRecipe(VideoRecipe { $0.displayMatrix = .turning(.rotated90) }).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.size = SizeRequest(48, 80) }
        let video = try #require(try MediaFile(output).video)
        #expect(video.parameters.size == PixelSize(80, 48) && video.displayMatrix?.orientation == .rotated90)
    }
}
