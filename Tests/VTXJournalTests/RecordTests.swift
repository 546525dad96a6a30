import Testing
import VTXSystem

@testable import VTXJournal

@Suite("Records of a journal")
struct RecordTests {
    static let packet: JournalPacket = {
        var packet = JournalPacket(payload: [1, 2, 3, 255])
        (packet.flags, packet.pts, packet.dts, packet.duration) = (1, 900, nil, 40)
        return packet
    }()

    @Test("packets are read as written")
    func packets() {
        var empty = JournalPacket(payload: [])
        empty.dts = -5
        var bytes: [UInt8] = []
        Self.packet.append(to: &bytes)
        empty.append(to: &bytes)
        var cursor = ByteCursor(bytes)
        #expect(JournalPacket(&cursor) == Self.packet)
        #expect(JournalPacket(&cursor) == empty)
        #expect(cursor.isAtEnd)
    }

    @Test("truncated bytes are not a packet")
    func cutPackets() {
        var bytes: [UInt8] = []
        Self.packet.append(to: &bytes)
        for count in bytes.indices {
            var cursor = ByteCursor(Array(bytes.prefix(count)))
            #expect(JournalPacket(&cursor) == nil)
        }
    }

    @Test("a GOP's record is read as written, and any flipped bit is detected")
    func gops() {
        let record = GOPRecord(
            number: 2, offset: 1 << 33, byteCount: 4711, frameCount: 125, firstPTS: -512, lastPTS: 99_999_999_999,
            parameterSets: 7, checksum: 0xdead_beef)
        #expect(record.bytes.count == GOPRecord.byteCount)
        #expect(GOPRecord(record.bytes) == record)
        for bit in 0..<GOPRecord.byteCount * 8 {
            var bytes = record.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(GOPRecord(bytes) == nil)
        }
    }
}
