import Testing
import VTXTestMedia

@testable import VTXTranscode

@Suite("Measuring the peak bit rate")
struct PeakBitrateTests {
    /// Two methods: the tests' for files, and the ledger's during encoding.
    private static func bits(_ units: [(time: Double, byteCount: Int)], in seconds: Double = 1) -> Int {
        var peak = VTXTranscode.PeakBitrate(over: seconds)
        for unit in units { peak.note(byteCount: unit.byteCount, at: unit.time) }
        let measured = VTXTestMedia.PeakBitrate.bits(of: units, in: seconds)
        #expect(peak.bits == measured)
        return measured
    }

    private static func units(_ sizes: [Int], apart: Double) -> [(time: Double, byteCount: Int)] {
        sizes.enumerated().map { (Double($0.offset) * apart, $0.element) }
    }

    @Test("an interval begins at any time, and excludes its end")
    func stretch() {
        let units = Self.units([1, 1, 10, 10, 1, 1], apart: 0.5)
        #expect(Self.bits(units) == 20 * 8)
        #expect(Self.bits(units, in: 0.5) == 10 * 8)
        #expect(Self.bits(units, in: 1.5) == 21 * 8)
        #expect(Self.bits(units, in: 100) == 24 * 8)
    }

    @Test("at 25 frames per second a second has 25, although 0.04 is no binary fraction")
    func frames() {
        #expect(Self.bits(Self.units(Array(repeating: 100, count: 200), apart: 0.04)) == 25 * 100 * 8)
    }

    @Test("no packets have no bits")
    func empty() { #expect(Self.bits([]) == 0) }
}
