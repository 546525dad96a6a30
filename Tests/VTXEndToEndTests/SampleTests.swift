import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Samples and colors")
struct SampleTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let colors = [
        ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false),
        ColorDescription(primaries: 9, transfer: 14, matrix: 9, isFullRange: false),
        ColorDescription(primaries: 5, transfer: 6, matrix: 5, isFullRange: true),
        ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: false),
    ]

    /// x264 uses a much coarser quantizer for such blocks than the slice header's.
    @Test("sharp edges with little motion pass the verification")
    func sharpEdges() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        var recipe = VideoRecipe.intra("ffv1", "yuv420p")
        (recipe.picture, recipe.filters) = ("testsrc", "scroll=h=0.01:v=0.004")
        (recipe.size, recipe.frameCount) = (PixelSize(320, 180), 100)
        try MovieRecipe(recipe).write(to: input)
        let run = try Run.transcode(input, to: output) { ($0.codec, $0.preset) = (.h264, .balanced) }
        #expect(run.result.frames == 100)
    }

    @Test("colors are in the container and in the bitstream", arguments: colors, VideoCodec.ofNALUnits)
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

    @Test("full range stays full: black is 0 and white is 255", arguments: VideoCodec.ofNALUnits)
    func fullRange(codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.avi"), directory.file("out.mp4"))
        var recipe = VideoRecipe.quarters
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
        "HDR10 keeps its metadata, in the container and in the bitstream", arguments: VideoCodec.ofNALUnits,
        ["mp4", "mkv"])
    func hdr10(codec: VideoCodec, pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
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
            // libavcodec's H.264 decoder ignores these messages: payloads 137 and 144 (H.264 D.1).
            let bytes = try Files.read(stream)
            #expect(bytes.contains([0, 0, 1, 6, 137, 24]) && bytes.contains([0, 0, 1, 6, 144, 4]))
        }
        #expect(frame.color.transfer == 16 && frame.color.primaries == 9 && frame.pixelFormat.bitDepth == 10)
    }

    @Test(
        "ten bits stay ten in HEVC, and become eight in H.264 High with a notice",
        arguments: VideoCodec.ofNALUnits)
    func tenBits(codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try MovieRecipe(.hdr10).write(to: input)
        let run = try Run.transcode(input, to: output) { $0.codec = codec }
        #expect(try MediaFile(output).video?.parameters.pixelFormat.bitDepth == (codec == .hevc ? 10 : 8))
        #expect(run.messages("downgrade.bitDepth").count == (codec == .hevc ? 0 : 1))
    }

    @Test(
        "a bit depth is reached from any source; eight of ten are a loss",
        arguments: [VideoCodec.hevc, .av1], [8, 10])
    func bitDepth(codec: VideoCodec, depth: Int) throws {
        for source in [VideoRecipe.hdr10, VideoRecipe()] {
            let (input, output) = (directory.file("in.mkv"), directory.file("\(source.pixelFormat).mkv"))
            try MovieRecipe(source).write(to: input)
            let run = try Run.transcode(input, to: output) { ($0.codec, $0.bitDepth) = (codec, depth) }
            #expect(try Decoded(output, limit: 1).frames[0].pixelFormat.bitDepth == depth)
            let messages = run.messages("downgrade.bitDepth")
            #expect(messages.count == (source.pixelFormat.contains("10") && depth == 8 ? 1 : 0))
            #expect(messages.allSatisfy { $0.contains("requested") })
        }
    }

    @Test("ten bits of H.264 are refused, with the profile that has them")
    func tenBitH264() throws {
        let input = try directory.clip()
        let error = Run.failure(input, to: directory.file("out.mkv")) { ($0.codec, $0.bitDepth) = (.h264, 10) }
        #expect(error?.kind == .conflict && error?.hint?.description.contains("high10") == true)
        #expect(Run.failure(input, to: directory.file("out.mkv")) { ($0.codec, $0.bitDepth) = (.h264, 8) } == nil)
    }

    struct Sampling: Sendable, CustomTestStringConvertible {
        var source: VideoRecipe
        var pathExtension: String
        var profile: VideoProfile
        var format: String
        var downgrades: [String]
        var testDescription: String { "\(source.pixelFormat) to \(profile.rawValue)" }

        static let all = [
            Sampling(
                source: .intra("prores_ks", "yuv422p10le"), pathExtension: "mov", profile: .high422,
                format: "yuv422p10le",
                downgrades: []),
            Sampling(
                source: .intra("prores_ks", "yuv422p10le"), pathExtension: "mov", profile: .main10,
                format: "yuv420p10le",
                downgrades: ["downgrade.chroma"]),
            Sampling(
                source: .intra("ffv1", "yuv444p"), pathExtension: "mkv", profile: .high444, format: "yuv444p",
                downgrades: []),
            Sampling(
                source: .intra("ffv1", "yuv444p"), pathExtension: "mkv", profile: .hevcMain, format: "yuv420p",
                downgrades: ["downgrade.chroma"]),
            Sampling(
                source: .intra("ffv1", "yuv420p"), pathExtension: "mkv", profile: .baseline, format: "yuv420p",
                downgrades: []),
            Sampling(
                source: .intra("ffv1", "yuva420p"), pathExtension: "mkv", profile: .high, format: "yuv420p",
                downgrades: ["downgrade.alpha"]),
            Sampling(
                source: .intra("ffv1", "gray"), pathExtension: "mkv", profile: .high, format: "yuvj420p",
                downgrades: []),
        ]
    }

    @Test("samples are converted to the profile's, and a loss is reported", arguments: Sampling.all)
    func sampling(test: Sampling) throws {
        let (input, output) = (directory.file("in.\(test.pathExtension)"), directory.file("out.mkv"))
        try MovieRecipe(test.source).write(to: input)
        let run = try Run.transcode(input, to: output) {
            $0.codec = nil
            $0.profile = test.profile
        }
        let video = try #require(try MediaFile(output).video)
        #expect(video.parameters.pixelFormat.name == test.format)
        #expect(video.parameters.codecName == test.profile.codec.rawValue)
        #expect(run.notices.filter { $0.category == .downgrade }.map(\.code) == test.downgrades)
    }

    @Test("RGB keeps its colors", arguments: [("ffv1", "bgr0"), ("png", "rgb24")])
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
}
