import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTestMedia

@testable import VTX

@Suite("A session whose decoder is lost in a stream with open GOPs")
struct OpenGroupTests {
    private static let frameCount = 48

    /// A byte stream, each twelfth picture of which is a random access point with leading pictures.
    private func stream(_ codec: VideoCodec) throws -> [UInt8] {
        let encoder = codec == .hevc ? "x265" : "x264"
        let options = "open-gop=1:scenecut=0:b-adapt=0" + (codec == .hevc ? ":log-level=error" : "")
        let recipe = VideoRecipe {
            $0.encoder = "lib\(encoder)"
            $0.options = [("preset", "veryfast"), ("\(encoder)-params", options)]
            $0.size = PixelSize(64, 48)
            $0.frameCount = Self.frameCount
            $0.keyFrameInterval = 12
            $0.bFrames = 3
        }
        let directory = try TemporaryDirectory()
        let path = directory.file(codec == .hevc ? "in.h265" : "in.h264")
        try MovieRecipe(recipe).write(to: path)
        return try Files.read(path)
    }

    private func decode(_ stream: [UInt8], _ codec: VideoCodec, _ faults: FaultyBackend.Faults) async throws
        -> [DecodedFrame]
    {
        let collected = Collected<DecodedFrame>()
        let session = try DecompressionSession(
            VideoDecoderConfiguration(codec: codec), backends: FaultyBackend.backends(FaultyBackend(faults))
        ) { collected.add($0) }
        try await session.decode(stream: stream)
        try await session.flush()
        return collected.all
    }

    @Test(
        "each frame is output once, and none is marked as damaged", arguments: VideoCodec.ofNALUnits, [false, true])
    func everyPacket(codec: VideoCodec, continuesInSoftware: Bool) async throws {
        let stream = try stream(codec)
        let whole = try await decode(stream, codec, .init()).map { $0.pixelBuffer?.frame.checksum }
        #expect(whole.count == Self.frameCount)
        for failing in 1...Self.frameCount {
            let faults = FaultyBackend.Faults(decodes: failing...(continuesInSoftware ? 1000 : failing))
            let frames = try await decode(stream, codec, faults)
            #expect(frames.compactMap(\.error).isEmpty, "call \(failing)")
            #expect(frames.map { $0.pixelBuffer?.frame.checksum } == whole, "call \(failing)")
        }
    }
}
