import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXTestMedia

@Suite("HEVC pictures that refer to themselves, which deadlock libavcodec's threads")
struct SelfReferenceTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A clip of 20 frames with its parameter sets in the packets (.ts) or in the container's header (.mkv).
    private func clip(_ pathExtension: String) throws -> Demuxer {
        let path = directory.file("a.\(pathExtension)")
        var recipe = VideoRecipe.hevc
        recipe.frameCount = 20
        recipe.keyFrameInterval = 5
        try MovieRecipe(recipe).write(to: path)
        return try Demuxer(path: path)
    }

    /// The same unit with a screen content extension that allows pictures to refer to themselves.
    private func withSelfReference(_ pps: RawSpan) throws -> [UInt8] {
        var set = try HEVCPPS(nalUnit: pps)
        set.hasExtension = true
        let flags = [false, false, false, true], bits = [false, false, false, false]
        set.trailing.bits = flags + bits + [true, false, false]
        return try set.nalUnit()
    }

    private func spoiled(_ packet: Packet) throws -> Packet {
        let bytes = packet.bytes.bytes
        let stream = try AnnexB.units(in: bytes, codec: .hevc).flatMap { unit in
            let own = bytes.extracting(unit.range)
            return AnnexB.startCode + (unit.isPPS ? try withSelfReference(own) : own.copy(0..<own.byteCount))
        }
        return try packet.replacing(bytes: stream)
    }

    /// The number of frames, and the refused packets.
    private func decode(_ demuxer: Demuxer, spoiling spoils: (Int) -> Bool) throws -> (frames: Int, refused: [Int]) {
        let session = try SoftwareBackend().openSession(
            on: SoftwareBackend.device)
        let decoder = try session.makeDecoder(DecoderConfiguration(stream: demuxer.streams[0]))
        var (frames, refused, index) = (0, [Int](), 0)
        while let packet = try demuxer.read() {
            do { try decoder.send(spoils(index) ? try spoiled(packet) : packet) } catch let error as SessionError {
                #expect(error.code == .badData)
                refused.append(index)
            }
            while case .unit = try decoder.receive() { frames += 1 }
            index += 1
        }
        try decoder.send(nil)
        while case .unit = try decoder.receive() { frames += 1 }
        return (frames, refused)
    }

    @Test("the packet that enables them is refused, and the others are decoded")
    func inPackets() throws {
        let (frames, refused) = try decode(clip("ts")) { $0 == 10 }
        #expect(refused == [10] && frames >= 15)
    }

    @Test("a stream without them loses nothing", arguments: ["ts", "mkv", "mp4"])
    func none(pathExtension: String) throws {
        let (frames, refused) = try decode(clip(pathExtension)) { _ in false }
        #expect(refused.isEmpty && frames == 20)
    }
}
