import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem

@Suite("Packets that share their bytes")
struct SharedPacketTests {
    @Test func `a packet refers to a buffer's bytes, and keeps them`() throws {
        var buffer: PaddedBuffer? = PaddedBuffer([1, 2, 3])
        let packet = try Packet(sharing: #require(buffer), pts: 7, duration: 1, timeBase: Rational(1, 25))
        #expect(packet.bytes.baseAddress == buffer?.bytes.baseAddress)
        weak let weakBuffer = buffer
        buffer = nil
        #expect(weakBuffer != nil)
        #expect(Array(packet.bytes) == [1, 2, 3] && packet.pts == 7)
    }

    @Test func `a packet releases its buffer`() throws {
        weak var buffer: PaddedBuffer?
        do {
            let bytes = PaddedBuffer([UInt8](repeating: 9, count: 5000))
            buffer = bytes
            let packet = try Packet(sharing: bytes, pts: nil, duration: 0, timeBase: Rational(1, 25))
            let other = try packet.bytesOnly(0..<5000, Rational(1, 1000))
            #expect(other.bytes.baseAddress == packet.bytes.baseAddress && other.byteCount == 5000)
        }
        #expect(buffer == nil)
    }

    @Test func `zeros follow the bytes, whatever has been there`() {
        let buffer = PaddedBuffer(capacity: 10)
        buffer.append([UInt8](repeating: 0xff, count: 100))
        buffer.truncate(to: 40)
        buffer.trim()
        buffer.append([0xaa])
        #expect(buffer.array == [UInt8](repeating: 0xff, count: 40) + [0xaa])
        let padding = UnsafeRawBufferPointer(start: buffer.bytes.baseAddress, count: 41 + 64).suffix(64)
        #expect(padding.allSatisfy { $0 == 0 })
    }
}
