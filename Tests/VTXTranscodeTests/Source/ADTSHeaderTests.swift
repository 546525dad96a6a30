import Testing
import VTXFFmpeg
import VTXMedia

@testable import VTXTranscode

@Suite("ADTS headers")
struct ADTSHeaderTests {
    private func config(_ bytes: [UInt8]) -> [UInt8]? {
        ADTSHeader(bytes)?.audioSpecificConfig
    }

    @Test("has the parameters that a container stores once")
    func content() {
        // AAC LC, 44.1 kHz, stereo; 48 kHz, 5.1, without a checksum.
        #expect(config([0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC]) == [0x12, 0x10])
        #expect(config([0xFF, 0xF9, 0x4D, 0x80, 0x02, 0x1F, 0xFC]) == [0x11, 0xB0])
    }

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

    @Test("is distinguished from other bytes")
    func others() {
        #expect(config([0xFF, 0xF1, 0x50]) == nil && config([0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00]) == nil)
        #expect(config([0xFF, 0xFB, 0x50, 0x80, 0x02, 0x1F, 0xFC]) == nil, "MP3")
        #expect(config([0xFF, 0xF1, 0x50, 0x00, 0x02, 0x1F, 0xFC]) == nil, "channels of a program element")
    }
}
