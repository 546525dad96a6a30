import Testing
import VTXBitstream
import VTXTestMedia
import VTXMedia

@Suite("The byte stream format")
struct AnnexBTests {
    private func ranges(_ bytes: [UInt8]) -> [Range<Int>] {
        AnnexB.units(in: bytes, codec: .h264).map(\.range)
    }

    @Test func `codes of three and four bytes, zeros after units, and junk before`() {
        #expect(ranges([0, 0, 1, 0x67, 1, 0, 0, 0, 1, 0x68, 2, 0, 0, 1, 0x65]) == [3..<5, 9..<11, 14..<15])
        #expect(ranges([9, 9, 0, 0, 1, 0x65, 7, 0, 0, 0, 0, 0]) == [5..<7])
        #expect(ranges([0, 0, 0, 0, 0, 0, 1, 0x65, 7]) == [7..<9])
    }

    @Test func `what has no start code has no units, and empty units are none`() {
        #expect(ranges([]).isEmpty)
        #expect(ranges([0]).isEmpty && ranges([0, 0]).isEmpty && ranges([0, 0, 1]).isEmpty)
        #expect(ranges([0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0x65]) == [10..<11])
        #expect(ranges([1, 2, 3, 4, 5]).isEmpty)
    }

    @Test func `types come from the header`() {
        let bytes: [UInt8] = [0, 0, 1, 0x67, 0, 0, 1, 0x42, 0x01]
        let units = AnnexB.units(in: bytes, codec: .h264)
        #expect(units.map(\.h264Type) == [.sps, .sliceDataPartitionA])
        #expect(AnnexB.units(in: bytes, codec: .hevc).map(\.hevcType)[1] == .sps)
    }

    /// The definition, byte by byte.
    private func slowFirst(_ bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= 3 else { return nil }
        return (0...bytes.count - 3).first { $0 >= start && bytes[$0...($0 + 2)].elementsEqual([0, 0, 1]) }
    }

    @Test func `the vectors find what a plain search finds, at every offset and length`() {
        for length in 0..<200 {
            var bytes = [UInt8](repeating: 0xff, count: length)
            #expect(StartCode.first(in: bytes) == nil)
            guard length >= 3 else { continue }
            for position in 0...(length - 3) {
                bytes.replaceSubrange(position..<position + 3, with: [0, 0, 1])
                #expect(StartCode.first(in: bytes) == position)
                bytes.replaceSubrange(position..<position + 3, with: [0xff, 0xff, 0xff])
            }
        }
    }

    @Test func `and in noise, from every start`() {
        var random = SeededRandom(1)
        for _ in 0..<300 {
            let bytes = random.bytes(.random(in: 0...300, using: &random))
            let start = Int.random(in: 0...310, using: &random)
            #expect(StartCode.first(in: bytes, from: start) == slowFirst(bytes, from: start))
        }
    }

    @Test func `what is written is what is found`() {
        let bytes: [UInt8] = [0, 0, 1, 0x67, 1, 0, 0, 0, 1, 0x68, 2]
        let units = AnnexB.units(in: bytes, codec: .h264)
        let written = AnnexB.write(units, of: bytes.span.bytes)
        #expect(written == [0, 0, 0, 1, 0x67, 1, 0, 0, 0, 1, 0x68, 2])
        #expect(AnnexB.beginsWithStartCode(written))
        #expect(!AnnexB.beginsWithStartCode([0, 0, 2, 1]))
    }
}
