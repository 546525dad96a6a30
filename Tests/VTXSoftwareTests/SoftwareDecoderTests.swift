import Testing
import VTXConformance
import VTXSoftware
import VTXTestMedia

@Suite("libavcodec's decoders keep the contract")
struct SoftwareDecoderTests {
    private let conformance = Conformance(SoftwareBackend(), device: SoftwareBackend.device)

    struct Source: Sendable, CustomTestStringConvertible {
        var recipe: VideoRecipe
        var ending: String
        var testDescription: String { "\(recipe.encoder) in \(ending)" }

        static let all = [
            Source(recipe: VideoRecipe { $0.options = [("preset", "veryfast")] }, ending: "mp4"),
            Source(recipe: VideoRecipe { $0.options = [("preset", "veryfast")] }, ending: "ts"),
            Source(recipe: .hevc, ending: "mkv"), Source(recipe: .hdr10, ending: "mkv"),
            Source(recipe: .coded("mpeg2video"), ending: "mpg"), Source(recipe: .coded("mpeg4"), ending: "avi"),
            Source(recipe: .intra("prores_ks", "yuv422p10le"), ending: "mov"),
            Source(recipe: .intra("ffv1", "yuv444p"), ending: "mkv"),
            Source(recipe: .intra("mjpeg", "yuvj420p"), ending: "avi"),
        ]
    }

    @Test("every codec, picture by picture", arguments: Source.all)
    func decodes(source: Source) throws {
        try conformance.decodesLikeTheReference(source.recipe, in: source.ending)
    }

    @Test("a packet of garbage costs frames, never the decoder", arguments: [VideoRecipe(), .hevc])
    func garbage(recipe: VideoRecipe) throws { try conformance.survivesBadPackets(recipe) }
}
