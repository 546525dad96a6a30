import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("HDR into SDR, from end to end")
struct DynamicRangeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "bitstream and container signal SDR, without HDR metadata", arguments: VideoCodec.ofNALUnits,
        ["mp4", "mkv", "ts"])
    func tags(codec: VideoCodec, pathExtension: String) throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.\(pathExtension)"))
        try MovieRecipe(.hdr10).write(to: input)
        let run = try Run.transcode(input, to: output) {
            ($0.codec, $0.dynamicRange, $0.hardware) = (codec, .sdr, .off)
        }
        #expect(run.messages("conversion.hdr").count == 1 && run.result.frames == 10)
        let video = try #require(try MediaFile(output).video)
        let frame = try Decoded(output, limit: 1).frames[0]
        for color in [video.parameters.color, frame.color] {
            #expect([color.primaries, color.transfer, color.matrix] == [1, 1, 1] && color.isFullRange == false)
        }
        #expect(video.hdrMetadata.isEmpty && frame.hdrMetadata.isEmpty && frame.pixelFormat.bitDepth == 8)
    }

    /// Each transfer function's ten-bit luma for 100 cd/m2; HLG's on a display of 1000.
    @Test("the same light has the same value with any transfer function", arguments: [(16, 509), (18, 616)])
    func light(transfer: Int, luma: Int) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        var recipe = VideoRecipe.intra("ffv1", "yuv420p10le")
        recipe.picture = "color=c=gray"
        recipe.filters = "format=yuv420p10le,geq=lum=\(luma):cb=512:cr=512"
        recipe.color = ColorDescription(primaries: 9, transfer: transfer, matrix: 9, isFullRange: false)
        recipe.frameCount = 2
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output) {
            ($0.dynamicRange, $0.size, $0.hardware) = (.sdr, SizeRequest(96, 96), .off)
        }
        let frame = try Decoded(output, limit: 1).frames[0]
        #expect(frame.size == PixelSize(96, 96) && abs(frame.luma(48, 48) - 151) < 12, "\(frame.luma(48, 48))")
        // The bars are SDR's black.
        #expect(frame.luma(48, 4) == 16)
    }
}
