import Testing

@testable import VTXTranscode

@Suite("The end of a Matroska file by its Segment size")
struct MatroskaSegmentTests {
    /// An EBML header with four bytes, and the Segment's ID.
    private static let head: [UInt8] = [0x1a, 0x45, 0xdf, 0xa3, 0x84, 0, 0, 0, 0, 0x18, 0x53, 0x80, 0x67]

    @Test(
        "sizes of one byte and of eight",
        arguments: [
            ([0x85], 14 + 5), ([0x40, 0x10], 15 + 16), ([0x01, 0, 0, 0, 0, 0, 1, 0], 21 + 256),
        ] as [([UInt8], Int64)])
    func sizes(size: [UInt8], end: Int64) {
        #expect(MatroskaSegment.end(in: Self.head + size) == end)
    }

    @Test("an unknown size gives no end", arguments: [1, 8])
    func unknown(length: Int) {
        let size = [0xff >> UInt8(length - 1)] + [UInt8](repeating: 0xff, count: length - 1)
        #expect(MatroskaSegment.end(in: Self.head + size) == nil)
    }

    @Test("an invalid, truncated or excessive size gives no end")
    func none() {
        for count in 0..<Self.head.count + 1 { #expect(MatroskaSegment.end(in: Array(Self.head.prefix(count))) == nil) }
        #expect(MatroskaSegment.end(in: Array("ftypisom and more".utf8)) == nil)
        #expect(MatroskaSegment.end(in: Self.head + [0]) == nil)
        let wide: [UInt8] = [0x1a, 0x45, 0xdf, 0xa3, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]
        #expect(MatroskaSegment.end(in: wide) == nil)
    }
}
