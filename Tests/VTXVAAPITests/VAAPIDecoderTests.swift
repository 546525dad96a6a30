import Testing
import VTXBitstream
import VTXConformance
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTestMedia
import VTXVAAPI

@Suite("The GPU's decoders conform to the contract", .onSoftwareGPU)
struct VAAPIDecoderTests {
    struct Source: Sendable, CustomTestStringConvertible {
        var recipe: VideoRecipe
        var pathExtension: String
        var testDescription: String { "\(recipe.encoder) \(recipe.pixelFormat) in \(pathExtension)" }

        static let all = [
            Source(recipe: VideoRecipe { $0.options = [("preset", "veryfast")] }, pathExtension: "mp4"),
            Source(recipe: VideoRecipe { $0.options = [("preset", "veryfast")] }, pathExtension: "ts"),
            Source(recipe: VideoRecipe { $0.size = PixelSize(162, 90) }, pathExtension: "mkv"),
            Source(recipe: .hevc, pathExtension: "mkv"), Source(recipe: .hdr10, pathExtension: "mkv"),
        ]
    }

    @Test("every codec, picture by picture", arguments: SoftwareGPU.all, Source.all)
    func decodes(gpu: SoftwareGPU, source: Source) throws {
        try gpu.conformance.decodesLikeTheReference(source.recipe, in: source.pathExtension)
    }

    @Test(
        "pictures are reordered without a header that signals it", arguments: SoftwareGPU.all, DecoderCases.reordered)
    func reordering(gpu: SoftwareGPU, options: String) throws {
        try gpu.conformance.keepsPicturesWithoutReorderDepth(options)
    }

    @Test("Baseline streams without the Constrained Baseline flag", arguments: SoftwareGPU.all)
    func plainBaseline(gpu: SoftwareGPU) throws { try gpu.conformance.decodesPlainBaseline() }

    @Test("cropping at all four sides", arguments: DecoderCases.cropped, DecoderCases.offsets)
    func cropping(recipe: VideoRecipe, offsets: CroppingOffsets) throws {
        for gpu in SoftwareGPU.all { try gpu.conformance.crops(recipe, by: offsets) }
    }

    @Test("pictures with a missing reference are marked", arguments: SoftwareGPU.all)
    func missingReferences(gpu: SoftwareGPU) throws { try gpu.conformance.namesMissingReferences() }

    @Test(
        "a corrupt packet loses frames, but the decoder continues", arguments: SoftwareGPU.all, [VideoRecipe(), .hevc])
    func garbage(gpu: SoftwareGPU, recipe: VideoRecipe) throws { try gpu.conformance.survivesBadPackets(recipe) }

    @Test("an unsupported stream is an error, without silent fallback to software", arguments: SoftwareGPU.all)
    func refusal(gpu: SoftwareGPU) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.mkv")
        try MovieRecipe(VideoRecipe { $0.pixelFormat = "yuv422p" }).write(to: path)
        #expect { try gpu.conformance.decodeAll(path) } throws: { error in
            (error as? SessionError)?.code == .unsupportedFormat && "\(error)".contains("yuv422p")
        }
    }

    /// A pool grows up to the driver's limit: it has 48 surfaces, and no other test uses it.
    @Test("an exhausted pool is the GPU's fault, not the stream's")
    func shortage() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = 60 }).write(to: path)
        let demuxer = try Demuxer(path: path)
        let session = try VAAPIBackend().openSession(on: SoftwareGPU.four[3].matrix.device)
        let decoder = try session.makeDecoder(DecoderConfiguration(stream: demuxer.streams[0]))
        var held: [Frame] = []
        #expect {
            while let packet = try demuxer.read() {
                try decoder.send(packet)
                while case .unit(let frame) = try decoder.receive() { held.append(frame) }
            }
        } throws: { error in
            (error as? SessionError).map { $0.code != .badData } ?? false
        }
    }
}
