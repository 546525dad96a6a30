import Testing
import VTXBitstream
import VTXTestMedia

@Suite("Emulation prevention")
struct EmulationPreventionTests {
    private func remove(_ bytes: [UInt8], limit: Int = .max) -> [UInt8] {
        EmulationPrevention.remove(from: bytes.span.bytes, 0..<bytes.count, limit: limit)
    }

    @Test func `a three goes before 0, 1, 2 and 3 after two zeros`() {
        for last: UInt8 in 0...3 { #expect(EmulationPrevention.insert(into: [0, 0, last, 9]) == [0, 0, 3, last, 9]) }
        #expect(EmulationPrevention.insert(into: [0, 0, 4]) == [0, 0, 4])
        #expect(EmulationPrevention.insert(into: [0, 0, 0, 0, 1]) == [0, 0, 3, 0, 0, 3, 1])
    }

    @Test func `a payload never ends in a zero`() {
        #expect(EmulationPrevention.insert(into: [7, 0]) == [7, 0, 3])
        #expect(EmulationPrevention.insert(into: [7, 0, 0]) == [7, 0, 0, 3])
    }

    @Test func `removing ends where it is told to`() {
        #expect(remove([1, 0, 0, 3, 1, 2, 3], limit: 4) == [1, 0, 0, 1])
        #expect(remove([1, 2], limit: 0).isEmpty)
    }

    @Test func `noise survives there and back, and holds no start code on the way`() {
        var random = SeededRandom(2)
        for _ in 0..<500 {
            let rbsp = random.bytes(.random(in: 0...80, using: &random)) + [0x80]
            let payload = EmulationPrevention.insert(into: rbsp)
            #expect(remove(payload) == rbsp)
            #expect(StartCode.first(in: payload) == nil)
        }
    }
}
