import Testing
import VTXBitstream
import VTXMedia
import VTXTestMedia

@Suite("Byte streams of any length")
struct ByteStreamTests {
    private func read(_ bytes: [UInt8], chunk: () -> Int) -> [ByteStreamReader.Unit] {
        var (reader, units, offset) = (ByteStreamReader(), [ByteStreamReader.Unit](), 0)
        while offset < bytes.count {
            let end = min(bytes.count, offset + max(1, chunk()))
            reader.append(bytes.span.bytes.extracting(offset..<end)) { units.append($0) }
            offset = end
        }
        reader.finish { units.append($0) }
        return units
    }

    @Test func `however the bytes are cut, the units are those of the whole buffer`() {
        var random = SeededRandom(7)
        for _ in 0..<300 {
            let bytes = random.bytes(.random(in: 0...400, using: &random))
            let most = Int.random(in: 1...50, using: &random)
            let units = read(bytes) { .random(in: 1...most, using: &random) }
            let expected = AnnexB.units(in: bytes, codec: .h264)
            #expect(units.map { Int($0.offset) } == expected.map(\.range.lowerBound))
            #expect(units.map(\.head) == expected.map { bytes.bytes(of: $0) })
            #expect(units.allSatisfy { $0.isWhole })
            for unit in units {
                let begin = Int(unit.offset)
                #expect(unit.startCodeSize == (begin >= 4 && bytes[begin - 4] == 0 ? 4 : 3))
            }
        }
    }

    @Test func `of a long unit only the beginning is kept`() {
        let payload = [UInt8](repeating: 0x65, count: 1_000_000)
        let units = read([0, 0, 1] + payload + [0, 0, 0, 1, 0x67, 0, 0]) { 5000 }
        #expect(units.map(\.size) == [1_000_000, 1])
        #expect(units.map(\.head.count) == [ByteStreamReader.headLimit, 1])
        #expect(units.map(\.startCodeSize) == [3, 4])
    }

    @Test func `stray bytes are counted, zeros in front are none`() {
        var reader = ByteStreamReader()
        let (stray, zeros): ([UInt8], [UInt8]) = ([9, 8, 7, 0, 0, 0, 1, 0x67], [0, 0, 0, 0, 0, 1, 0x67])
        reader.append(stray.span.bytes) { _ in }
        reader.finish { _ in }
        #expect(reader.strayByteCount == 3)
        reader = ByteStreamReader()
        reader.append(zeros.span.bytes) { _ in }
        #expect(reader.strayByteCount == 0)
    }

    @Test("the codec is detected, even after the parameter sets", arguments: StreamCase.all)
    func codec(test: StreamCase) throws {
        let stream = try CodedStream(test)
        #expect(ByteStreamCodec.announced(in: stream.bytes.span.bytes) == test.codec)
        let slices = stream.units { $0.isVCL }.flatMap { AnnexB.startCode + $0 }
        #expect(ByteStreamCodec.announced(in: slices.span.bytes) == nil)
        let guessed = ByteStreamCodec.guessed(from: slices.span.bytes)
        #expect(guessed == test.codec || guessed == nil)
    }

    @Test func `what has the same start codes and is neither, is neither`() {
        // MPEG-2 video, an MPEG program stream, an MP4 with a box of 64 bits' length.
        let others: [[UInt8]] = [
            [0, 0, 1, 0xb3, 0x14, 0, 0xf0, 0x13, 0, 0, 1, 0xb8, 0, 8, 0, 0x40], [0, 0, 1, 0xba, 0x44, 0, 4, 0],
            [0, 0, 0, 1, 0x66, 0x74, 0x79, 0x70, 0, 0, 0, 0],
        ]
        for bytes in others {
            #expect(ByteStreamCodec.announced(in: bytes.span.bytes) == nil)
            #expect(ByteStreamCodec.guessed(from: bytes.span.bytes) == nil)
        }
    }

    @Test func `a unit that stood after a length ends where a byte stream would end it`() {
        let bytes: [UInt8] = [9, 0x65, 1, 0, 0, 1, 0x41, 2, 0, 0, 0, 9]
        let unit = NALUnit(codec: .h264, range: 1..<11, in: bytes.span.bytes)
        #expect(
            AnnexB.units(within: unit, of: bytes.span.bytes).map { bytes.bytes(of: $0) } == [[0x65, 1], [0x41, 2]])
        let empty = NALUnit(codec: .h264, range: 8..<11, in: bytes.span.bytes)
        #expect(AnnexB.units(within: empty, of: bytes.span.bytes).isEmpty)
    }
}
