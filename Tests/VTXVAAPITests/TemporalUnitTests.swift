import Testing
import VTXBitstream
import VTXConformance
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTestMedia

@testable import VTXVAAPI

@Suite("A driver's AV1 temporal units")
struct TemporalUnitTests {
    /// Each packet is a coded and shown frame, like a GPU's.
    private static func packets(_ change: (inout VideoRecipe) -> Void = { _ in }) throws -> [Packet] {
        try VideoRecipe {
            ($0.encoder, $0.frameCount) = ("libaom-av1", 6)
            $0.options = [("usage", "realtime"), ("cpu-used", "8"), ("lag-in-frames", "0")]
            change(&$0)
        }.encode(globalHeader: true).packets
    }

    /// A copy of one packet's bytes.
    private static func bytes(_ number: Int, _ change: (inout VideoRecipe) -> Void = { _ in }) throws -> [UInt8] {
        let packets = try packets(change)
        return withExtendedLifetime(packets) { Array(packets[number].bytes) }
    }

    private static func refusal(_ packets: [Packet]) -> String? {
        var check = TemporalUnitCheck()
        do throws(SessionError) {
            for packet in packets { try check.check(packet) }
            return nil
        } catch { return error.code == .hardwareMalfunction ? error.message : "\(error.code)" }
    }

    private static func changed(_ packet: Packet, _ change: (inout [UInt8]) -> Void) throws -> Packet {
        var bytes = Array(packet.bytes)
        change(&bytes)
        return try packet.replacing(bytes: bytes)
    }

    @Test("consecutive frames are valid")
    func right() throws { #expect(Self.refusal(try Self.packets()) == nil) }

    @Test("an invalid, unexpected or repeated frame is the driver's fault")
    func wrong() throws {
        let packets = try Self.packets()
        let noFrame = try Self.changed(packets[0]) { $0 = [0x12, 0] }
        #expect(Self.refusal([noFrame])?.contains("without a frame") == true)
        let cut = try Self.changed(packets[0]) { $0.removeLast(9) }
        #expect(Self.refusal([cut])?.contains("cannot be read") == true)
        #expect(Self.refusal([packets[0], packets[1], packets[1]])?.contains("twice") == true)
        let noKey = try Self.changed(packets[0]) { $0 = Array(packets[1].bytes) }
        #expect(Self.refusal([noKey])?.contains("in place of a key frame") == true)
    }

    private static func rewriter(_ change: (inout EncoderConfiguration) -> Void = { _ in }) -> SequenceHeaderRewriter {
        SequenceHeaderRewriter(Conformance.configuration(.av1, change))
    }

    @Test("missing colors and HDR10 metadata are inserted once")
    func headers() throws {
        let rewriter = Self.rewriter {
            $0.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9)
            $0.hdrMetadata = .sample
        }
        let key = try Self.bytes(0)
        let completed = try rewriter.complete(key)
        let bytes = try #require(completed.bytes)
        #expect(OBUs.types(bytes) == OBUs.types(key).flatMap { $0 == OBUs.sequenceHeader ? [1, 5, 5] : [$0] })
        #expect(OBUs.types(completed.parameterSets) == [OBUs.sequenceHeader])
        let again = try rewriter.complete(bytes)
        #expect(again.bytes == nil && again.parameterSets == completed.parameterSets)
    }

    @Test("a correct unit is unchanged")
    func untouched() throws {
        let key = try Self.bytes(0)
        let completed = try Self.rewriter().complete(key)
        #expect(completed.bytes == nil && !completed.parameterSets.isEmpty)
    }

    @Test("a key frame of another size, or without a sequence header, is the driver's fault")
    func faults() throws {
        let wide = try Self.bytes(0) { $0.size = PixelSize(192, 96) }
        #expect { try Self.rewriter().complete(wide) } throws: { error in
            "\(error)".contains("192x96 in place of 160x96")
        }
        let second = try Self.bytes(1)
        #expect { try Self.rewriter().complete(second) } throws: { error in
            "\(error)".contains("without a sequence header")
        }
    }
}
