import Testing

@testable import VTXTranscode

@Suite("The last page of an Ogg file")
struct OggPageTests {
    /// A header with two segments, of 255 and 10 bytes.
    private static let page =
        Array("OggS".utf8) + [UInt8](repeating: 0, count: 22) + [2, 255, 10] + [UInt8](repeating: 7, count: 265)

    @Test("a complete one is not cut, with whatever is before or after it")
    func complete() {
        #expect(!OggPage.isCut(in: Self.page))
        #expect(!OggPage.isCut(in: [1, 2, 3] + Self.page + Self.page + [0]))
        #expect(!OggPage.isCut(in: []) && !OggPage.isCut(in: [1, 2, 3]))
    }

    @Test("one that ends in its header, its segment table or its body is cut", arguments: [4, 20, 27, 28, 29, 293])
    func cut(length: Int) {
        #expect(OggPage.isCut(in: Self.page + Self.page.prefix(length)))
    }
}
