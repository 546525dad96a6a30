import Testing
import VTXBitstream
import VTXTestMedia

@Suite("Bits")
struct BitTests {
    @Test func `numbers of every width come back`() throws {
        var random = SeededRandom(3)
        let values = (0..<2000).map { _ in (width: Int.random(in: 0...64, using: &random), value: random.next()) }
        var writer = BitWriter()
        for (width, value) in values { writer.u(width, value) }
        var reader = BitReader(writer.bytes)
        for (width, value) in values {
            #expect(try reader.u(width) == (width == 64 ? value : value & (1 << UInt64(width) - 1)))
        }
    }

    @Test(
        "Exp-Golomb as clause 9.1 lists it",
        arguments: [(0, "1"), (1, "010"), (2, "011"), (3, "00100"), (6, "00111"), (7, "0001000")])
    func expGolomb(value: UInt32, code: String) {
        var writer = BitWriter()
        writer.ue(value)
        let bits = (0..<writer.count).map { (place: Int) in
            writer.bytes[place / 8] & (0x80 >> (place % 8)) == 0 ? "0" : "1"
        }
        #expect(bits.joined() == code)
    }

    @Test func `Exp-Golomb comes back to its limits`() throws {
        let unsigned: [UInt32] = [0, 1, 2, 254, 255, 256, 65535, 1 << 31, .max - 2, .max - 1]
        let signed: [Int32] = [0, 1, -1, 2, -2, 1000, -1000, .max, -.max]
        var writer = BitWriter()
        for value in unsigned { writer.ue(value) }
        for value in signed { writer.se(value) }
        var reader = BitReader(writer.bytes)
        for value in unsigned { #expect(try reader.ue() == value) }
        for value in signed { #expect(try reader.se() == value) }
    }

    @Test func `32 leading zeros are an error, and so is the end`() {
        var long = BitReader([0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff])
        #expect(throws: BitstreamError.invalid(element: "leadingZeroBits", value: 32)) { try long.ue() }
        var short = BitReader([0, 0])
        #expect(throws: BitstreamError.truncated) { try short.ue() }
        var bits = BitReader([0xff])
        #expect(throws: BitstreamError.truncated) { try bits.u(9) }
    }

    @Test func `the trailing bits of an RBSP are not data`() throws {
        #expect(try BitReader(rbsp: [0b1011_0000]).remaining == 3)
        #expect(try BitReader(rbsp: [0xff, 0x80, 0, 0]).remaining == 8)
        #expect(throws: BitstreamError.truncated) { try BitReader(rbsp: [0, 0]) }
        #expect(throws: BitstreamError.truncated) { try BitReader(rbsp: []) }
    }
}
