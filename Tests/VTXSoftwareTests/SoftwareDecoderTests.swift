import Testing
import VTXBitstream
import VTXConformance
import VTXSoftware
import VTXTestMedia

@Suite("libavcodec's decoders conform to the contract")
struct SoftwareDecoderTests {
    private let conformance = Conformance(SoftwareBackend(), device: SoftwareBackend.device)

    struct Source: Sendable, CustomTestStringConvertible {
        var recipe: VideoRecipe
        var pathExtension: String
        var testDescription: String { "\(recipe.encoder) in \(pathExtension)" }

        static let all = [
            Source(recipe: VideoRecipe { $0.options = [("preset", "veryfast")] }, pathExtension: "mp4"),
            Source(recipe: VideoRecipe { $0.options = [("preset", "veryfast")] }, pathExtension: "ts"),
            Source(recipe: .hevc, pathExtension: "mkv"), Source(recipe: .hdr10, pathExtension: "mkv"),
            Source(recipe: .coded("mpeg2video"), pathExtension: "mpg"),
            Source(recipe: .coded("mpeg4"), pathExtension: "avi"),
            Source(recipe: .intra("prores_ks", "yuv422p10le"), pathExtension: "mov"),
            Source(recipe: .intra("ffv1", "yuv444p"), pathExtension: "mkv"),
            Source(recipe: .intra("mjpeg", "yuvj420p"), pathExtension: "avi"),
        ]
    }

    @Test("every codec, picture by picture", arguments: Source.all)
    func decodes(source: Source) throws {
        try conformance.decodesLikeTheReference(source.recipe, in: source.pathExtension)
    }

    @Test("pictures are reordered without a header that signals it", arguments: DecoderCases.reordered)
    func reordering(options: String) throws { try conformance.keepsPicturesWithoutReorderDepth(options) }

    @Test("Baseline streams without the Constrained Baseline flag")
    func plainBaseline() throws { try conformance.decodesPlainBaseline() }

    @Test(
        "cropping at all four sides", arguments: DecoderCases.cropped + DecoderCases.cropped444,
        DecoderCases.offsets)
    func cropping(recipe: VideoRecipe, offsets: CroppingOffsets) throws { try conformance.crops(recipe, by: offsets) }

    @Test("pictures with a missing reference are marked")
    func missingReferences() throws { try conformance.namesMissingReferences() }

    @Test("a corrupt packet loses frames, but the decoder continues", arguments: [VideoRecipe(), .hevc])
    func garbage(recipe: VideoRecipe) throws { try conformance.survivesBadPackets(recipe) }
}
