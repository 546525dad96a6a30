import Testing
import VTXBitstream
import VTXSystem

@Suite("Splitting AV1 into temporal units")
struct TemporalUnitSplitterTests {
    private static func split(_ bytes: [UInt8], chunk: Int) -> [TemporalUnitSplitter.Output] {
        var splitter = TemporalUnitSplitter()
        var units: [TemporalUnitSplitter.Output] = []
        for begin in stride(from: 0, to: bytes.count, by: chunk) {
            units += splitter.append(bytes[begin..<min(bytes.count, begin + chunk)].span.bytes)
        }
        return units + splitter.finish()
    }

    @Test("a million bytes of invalid units are as many errors, whatever the chunks")
    func invalid() {
        // A delimiter, and a sequence header without a byte.
        let pattern = [[UInt8]](repeating: [0x12, 0, 0x0a, 0], count: 1 << 18).flatMap { $0 }
        let errors = Self.split(pattern, chunk: pattern.count)
        #expect(errors.count == 1 << 18)
        #expect(errors.allSatisfy { (try? $0.get()) == nil })
        #expect(Self.split(pattern, chunk: 3) == errors)
    }

    @Test(
        "after an invalid unit, splitting continues at a delimiter before a sequence header", arguments: [1, 2, 3, 100])
    func continues(chunk: Int) throws {
        // Padding units of one byte in temporal units, after a forbidden bit and half a beginning.
        let padding: [UInt8] = [0x12, 0, 0x7a, 1, 0x55]
        let stream = padding + [0x12, 0] + [0x92, 0x12, 0, 0x12, 0] + [0x12, 0, 0x0a, 0] + padding
        let units = Self.split(stream, chunk: chunk)
        #expect(units.count == 3)
        #expect(try units[0].get().bytes.bytes.count == 3)
        #expect((try? units[1].get()) == nil && (try? units[2].get()) == nil)
    }
}
