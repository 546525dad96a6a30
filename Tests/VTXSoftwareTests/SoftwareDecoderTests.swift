import Testing
import VTXConformance
import VTXSoftware
import VTXTestMedia

@Suite("libavcodec's decoders keep the contract")
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

    @Test("a packet of garbage costs frames, never the decoder", arguments: [VideoRecipe(), .hevc])
    func garbage(recipe: VideoRecipe) throws { try conformance.survivesBadPackets(recipe) }
}
