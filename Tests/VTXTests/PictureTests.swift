import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTestMedia
import VTXTranscode

@Suite("The picture's shape, turn, samples and colours")
struct PictureTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let quarters = VideoRecipe {
        $0.picture = "color=c=black"
        $0.encoder = "libx264"
        $0.frameCount = 12
        // White in the upper left quarter, grey in the upper right one.
        $0.filters = "drawbox=0:0:80:48:white:fill,drawbox=80:0:80:48:gray:fill"
        $0.options = [("preset", "ultrafast"), ("crf", "5")]
    }

    /// The brightness in the middle of each quarter: upper left, upper right, lower left, lower right.
    private func corners(_ frame: Frame) -> [Int] {
        let (width, height) = (frame.size.width, frame.size.height)
        return [(1, 1), (3, 1), (1, 3), (3, 3)].map { frame.luma(width * $0.0 / 4, height * $0.1 / 4) }
    }

    @Test(
        "the matrix is kept where the container has one", arguments: DisplayMatrix.Orientation.allCases,
        ["mp4", "mov"])
    func keepsMatrix(orientation: DisplayMatrix.Orientation, ending: String) throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.\(ending)"))
        var recipe = Self.quarters
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

    /// What a player shows of the quarters after the turn.
    private static let shown: [(DisplayMatrix.Orientation, [Int])] = [
        (.upright, [235, 126, 16, 16]), (.rotated90, [16, 235, 16, 126]), (.rotated180, [16, 16, 126, 235]),
        (.rotated270, [126, 16, 235, 16]), (.mirrored, [126, 235, 16, 16]),
        (.mirroredRotated180, [16, 16, 235, 126]), (.mirroredRotated90, [16, 126, 16, 235]),
        (.mirroredRotated270, [235, 16, 126, 16]),
    ]

    @Test("elsewhere, or when asked for, the pixels are turned", arguments: shown, ["mkv", "ts", "mp4"])
    func bakes(turn: (DisplayMatrix.Orientation, [Int]), ending: String) throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.\(ending)"))
        var recipe = Self.quarters
        recipe.displayMatrix = .turning(turn.0)
        try MovieRecipe(recipe).write(to: input)
        let run = try Run.transcode(input, to: output) { $0.bakesRotation = ending == "mp4" }
        let frame = try Decoded(output, limit: 1).frames[0]
        #expect(frame.size == (turn.0.isTransposed ? PixelSize(96, 160) : PixelSize(160, 96)))
        for (found, wanted) in zip(corners(frame), turn.1) { #expect(abs(found - wanted) < 12) }
        #expect(try MediaFile(output).video?.displayMatrix == nil)
        #expect(run.messages("conversion.rotation").isEmpty == (ending == "mp4" || turn.0 == .upright))
    }

    @Test("the shape of the samples is kept", arguments: ["mp4", "mov", "mkv", "ts"], VideoCodec.allCases)
    func sampleAspect(ending: String, codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(ending)"))
        let recipe = VideoRecipe {
            $0.sampleAspectRatio = Rational(16, 15)
            $0.frameCount = 5
        }
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.codec = codec }
        #expect(try MediaFile(output).video?.sampleAspectRatio == Rational(16, 15))
        #expect(try Decoded(output, limit: 1).frames[0].sampleAspectRatio == Rational(16, 15))
    }

    @Test("a shape that is turned in the pixels is turned too")
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

    private static let colors = [
        ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false),
        ColorDescription(primaries: 9, transfer: 14, matrix: 9, isFullRange: false),
        ColorDescription(primaries: 5, transfer: 6, matrix: 5, isFullRange: true),
        ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: false),
    ]

    @Test("colours are in the container and in the bitstream", arguments: colors, VideoCodec.allCases)
    func color(color: ColorDescription, codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        let stream = directory.file(codec == .h264 ? "out.h264" : "out.h265")
        let recipe = VideoRecipe {
            $0.color = color
            $0.frameCount = 3
        }
        try MovieRecipe(recipe).write(to: input)
        for file in [output, stream] { _ = try Run.transcode(input, to: file) { $0.codec = codec } }
        let inContainer = try #require(try MediaFile(output).video).parameters.color
        let inBitstream = try Decoded(stream, limit: 1).frames[0].color
        for found in [inContainer, inBitstream] {
            #expect(
                [found.primaries, found.transfer, found.matrix] == [
                    color.primaries, color.transfer, color.matrix,
                ])
            #expect((found.isFullRange ?? false) == color.isFullRange)
        }
        let box = try #require(BoxWalk.find("moov/trak/mdia/minf/stbl/stsd", in: try Files.read(output)))
        #expect(box.contains(Array("colr".utf8)), "MP4 says it in a box of its own")
    }

    @Test("full range stays full: black is 0 and white is 255", arguments: VideoCodec.allCases)
    func fullRange(codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.avi"), directory.file("out.mp4"))
        var recipe = Self.quarters
        recipe.encoder = "mjpeg"
        recipe.options = []
        recipe.pixelFormat = "yuvj420p"
        recipe.filters += ",scale=in_range=tv:out_range=pc"
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.codec = codec }
        let (before, after) = (
            try Decoded(input, limit: 1).frames[0], try Decoded(output, limit: 1).frames[0]
        )
        #expect(after.color.isFullRange == true)
        for (found, wanted) in zip(corners(after), corners(before)) { #expect(abs(found - wanted) <= 8) }
        #expect(corners(after)[0] > 245 && corners(after)[3] < 8)
    }

    @Test(
        "HDR10 keeps its metadata, in the container and in the bitstream", arguments: VideoCodec.allCases,
        ["mp4", "mkv"])
    func hdr10(codec: VideoCodec, ending: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(ending)"))
        try MovieRecipe(.hdr10).write(to: input)
        let stream = directory.file(codec == .h264 ? "out.h264" : "out.h265")
        for file in [output, stream] {
            _ = try Run.transcode(input, to: file) {
                $0.codec = codec
                $0.profile = codec == .h264 ? .high10 : nil
            }
        }
        let video = try #require(try MediaFile(output).video)
        #expect(video.hdrMetadata == .sample)
        #expect(video.parameters.pixelFormat.bitDepth == 10 && video.parameters.color.transfer == 16)
        let frame = try Decoded(stream, limit: 1).frames[0]
        if codec == .hevc {
            #expect(frame.hdrMetadata == .sample)
        } else {
            // libavcodec's H.264 decoder does not look at these messages: payloads 137 and 144 (H.264 D.1).
            let bytes = try Files.read(stream)
            #expect(bytes.contains([0, 0, 1, 6, 137, 24]) && bytes.contains([0, 0, 1, 6, 144, 4]))
        }
        #expect(frame.color.transfer == 16 && frame.color.primaries == 9 && frame.pixelFormat.bitDepth == 10)
    }

    @Test(
        "ten bits stay ten in HEVC, and are said to become eight in H.264 High",
        arguments: VideoCodec.allCases)
    func tenBits(codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try MovieRecipe(.hdr10).write(to: input)
        let run = try Run.transcode(input, to: output) { $0.codec = codec }
        #expect(try MediaFile(output).video?.parameters.pixelFormat.bitDepth == (codec == .hevc ? 10 : 8))
        #expect(run.messages("downgrade.bitDepth").count == (codec == .hevc ? 0 : 1))
    }

    struct Sampling: Sendable, CustomTestStringConvertible {
        var source: VideoRecipe
        var ending: String
        var profile: VideoProfile
        var format: String
        var downgrades: [String]
        var testDescription: String { "\(source.pixelFormat) to \(profile.rawValue)" }

        static let all = [
            Sampling(
                source: .intra("prores_ks", "yuv422p10le"), ending: "mov", profile: .high422,
                format: "yuv422p10le",
                downgrades: []),
            Sampling(
                source: .intra("prores_ks", "yuv422p10le"), ending: "mov", profile: .main10,
                format: "yuv420p10le",
                downgrades: ["downgrade.chroma"]),
            Sampling(
                source: .intra("ffv1", "yuv444p"), ending: "mkv", profile: .high444, format: "yuv444p",
                downgrades: []),
            Sampling(
                source: .intra("ffv1", "yuv444p"), ending: "mkv", profile: .hevcMain, format: "yuv420p",
                downgrades: ["downgrade.chroma"]),
            Sampling(
                source: .intra("ffv1", "yuv420p"), ending: "mkv", profile: .baseline, format: "yuv420p",
                downgrades: []),
            Sampling(
                source: .intra("ffv1", "yuva420p"), ending: "mkv", profile: .high, format: "yuv420p",
                downgrades: ["downgrade.alpha"]),
            Sampling(
                source: .intra("ffv1", "gray"), ending: "mkv", profile: .high, format: "yuvj420p",
                downgrades: []),
        ]
    }

    @Test("samples become what the profile holds, and a loss is said", arguments: Sampling.all)
    func sampling(test: Sampling) throws {
        let (input, output) = (directory.file("in.\(test.ending)"), directory.file("out.mkv"))
        try MovieRecipe(test.source).write(to: input)
        let run = try Run.transcode(input, to: output) {
            $0.codec = nil
            $0.profile = test.profile
        }
        let video = try #require(try MediaFile(output).video)
        #expect(video.parameters.pixelFormat.name == test.format)
        #expect(video.parameters.codecName == test.profile.codec.rawValue)
        #expect(run.notices.filter { $0.kind == .downgrade }.map(\.code) == test.downgrades)
    }

    @Test("RGB keeps its colours", arguments: [("ffv1", "bgr0"), ("png", "rgb24")])
    func rgb(encoder: String, format: String) throws {
        let (input, output) = (directory.file("in.avi"), directory.file("out.mkv"))
        var recipe = VideoRecipe.intra(encoder, format)
        recipe.picture = "color=c=red"
        recipe.frameCount = 2
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output)
        let frame = try Decoded(output, limit: 1).frames[0]
        // BT.709, limited range: 16 + 219 * 0.2126.
        #expect(abs(frame.luma(80, 48) - 63) <= 2)
        #expect(frame.color.matrix == 1)
    }

    @Test("odd sides lose a column or row, and that is said", arguments: ["yuv420p", "yuv444p", "yuv422p10le"])
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
        // Cut, not squeezed: each pixel that is left is where it was.
        let step = 1 << (before.pixelFormat.bitDepth - 8)
        let places = stride(from: 0, to: 96, by: 5).flatMap { y in stride(from: 0, to: 160, by: 5).map { ($0, y) } }
        let wrong = places.count { abs(before.luma($0.0, $0.1) / step - after.luma($0.0, $0.1)) > 16 }
        #expect(wrong < places.count / 50)
    }

    @Test("interlaced pictures become progressive, each frame once", arguments: ["h264", "mpeg2video"])
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
        #expect(run.plan.video.filter.deinterlacing == .flaggedFrames)
    }

    @Test("a size is reached without bending the picture", arguments: ScalingMode.allCases)
    func sizes(mode: ScalingMode) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        var recipe = VideoRecipe.intra("ffv1", "yuv420p")
        recipe.picture = "color=c=white"
        recipe.frameCount = 2
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.size = PixelSize(128, 128)
            $0.scaling = mode
        }
        let frame = try Decoded(output, limit: 1).frames[0]
        #expect(frame.size == PixelSize(128, 128) && frame.luma(64, 64) > 225)
        // 160x96 in 128x128 is 128x76 with bars above and below.
        for row in [2, 20, 107, 125] { #expect((frame.luma(64, row) < 25) == (mode == .letterbox)) }
        for row in [32, 96] { #expect(frame.luma(64, row) > 225) }
    }

    @Test("a size counts for what the viewer sees: it turns with the matrix")
    func turnedSize() throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.mp4"))
        try MovieRecipe(VideoRecipe { $0.displayMatrix = .turning(.rotated90) }).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.size = PixelSize(48, 80) }
        let video = try #require(try MediaFile(output).video)
        #expect(video.parameters.size == PixelSize(80, 48) && video.displayMatrix?.orientation == .rotated90)
    }
}
