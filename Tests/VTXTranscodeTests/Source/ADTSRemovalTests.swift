import Testing
import VTXFFmpeg
import VTXMedia

@testable import VTXTranscode

@Suite("The ADTS header of a packet")
struct ADTSRemovalTests {
    @Test("is removed from a packet that has one frame")
    func removal() throws {
        let header: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC]
        let bytes = { (bytes: [UInt8]) in
            let packet = try Packet(bytes: bytes, pts: 3, dts: 3, duration: 1024, timeBase: Rational(1, 44100))
            let stripped = try packet.withoutADTSHeader()
            #expect(stripped.pts == 3 && stripped.duration == 1024)
            return Array(stripped.bytes)
        }
        #expect(try bytes(header + [1, 2, 3]) == [1, 2, 3])
        #expect(try bytes([0xFF, 0xF0] + header.dropFirst(2) + [9, 9, 1, 2, 3]) == [1, 2, 3], "a checksum")
        #expect(try bytes([0x21, 0x00, 0x49]) == [0x21, 0x00, 0x49])
        let two = header.dropLast() + [0xFD, 1, 2, 3]
        #expect(try bytes(Array(two)) == Array(two), "two frames")
    }
}
