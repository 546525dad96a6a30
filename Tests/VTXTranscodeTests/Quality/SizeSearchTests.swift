import Glibc
import Testing
import VTXMedia

@testable import VTXTranscode

@Suite("The bit rate for a size")
struct SizeSearchTests {
    private static func search() throws -> SizeSearch {
        try #require(SizeSearch(size: 1_000_000, others: 100_000, seconds: 10))
    }

    @Test("is for the size without other streams, with a small margin")
    func first() throws {
        // 0.997 of the size, minus the rest, in bits over ten seconds.
        #expect(try Self.search().bitrate == 717_600)
    }

    @Test("is none if the rest needs all", arguments: [(1_000_000, 10.0), (50_000, 0)])
    func impossible(others: Int, seconds: Double) {
        #expect(SizeSearch(size: 1_000_000, others: others, seconds: seconds) == nil)
    }

    @Test("is final if the output has the target size, or is up to 1 % smaller", arguments: [1_000_000, 990_000])
    func accepted(bytes: Int) throws {
        var search = try Self.search()
        #expect(search.note(bytes) == .accepted)
    }

    /// An encoder that outputs a factor of its rate.
    @Test("is corrected until the output is in bounds", arguments: [0.5, 0.9, 1.1, 2])
    func correction(factor: Double) throws {
        var search = try Self.search()
        var outputs = 0
        while true {
            outputs += 1
            let bytes = 103_000 + Int(Double(search.bitrate) * factor * 10 / 8)
            let verdict = search.note(bytes)
            guard case .tries = verdict else {
                #expect(verdict == .accepted && (990_000...1_000_000).contains(bytes))
                break
            }
        }
        #expect(outputs <= 3)
    }

    @Test("is not raised further if the video does not grow")
    func slides() throws {
        var search = try Self.search()
        guard case .tries(let higher) = search.note(400_000) else {
            return #expect(Bool(false), "it is accepted at once")
        }
        #expect(higher > 717_600 && search.note(400_000) == .accepted)
    }

    @Test("fails if an encoder has the same size at every rate", arguments: [2_000_000, 1_030_000])
    func tooLarge(bytes: Int) throws {
        var search = try Self.search()
        var outputs = 1
        while case .tries = search.note(bytes) { outputs += 1 }
        #expect((2...6).contains(outputs))
    }

    /// The output of an encoder with random variation, and of one with steps in its rates.
    private static func written(_ bitrate: Int, noise: Double, step: Double) -> Int {
        let steps = step > 0 ? exp((log(Double(bitrate)) / step).rounded() * step) : Double(bitrate)
        return 103_000 + Int(steps * (1 + noise) * 10 / 8)
    }

    @Test(
        "fits finally with random variation or steps", arguments: [0.005, 0.02, 0.05], [0, 0.03, 0.1])
    func chance(noise: Double, step: Double) throws {
        var numbers = LinearCongruence()
        for _ in 0..<200 {
            var (search, outputs, bytes) = (try Self.search(), 0, 0)
            var verdict = SizeSearch.Verdict.tries(bitrate: search.bitrate)
            while case .tries(let bitrate) = verdict {
                bytes = Self.written(bitrate, noise: noise * (2 * numbers.next() - 1), step: step)
                verdict = search.note(bytes)
                outputs += 1
            }
            #expect(verdict == .accepted && (750_000...1_000_000).contains(bytes) && outputs <= 12)
        }
    }

    /// The same numbers in every run.
    private struct LinearCongruence {
        private var state: UInt64 = 1

        mutating func next() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
    }
}
