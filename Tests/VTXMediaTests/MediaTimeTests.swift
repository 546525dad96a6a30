import Testing
import VTXMedia

@Suite("Converting times between time bases")
struct MediaTimeTests {
    /// The same rule, slowly: exact products in 128 bits, halves away from zero, clamped.
    private func model(_ ticks: Int64, _ source: Rational, _ target: Rational) -> Int64 {
        let product = Int128(ticks) * Int128(source.numerator) * Int128(target.denominator)
        let divisor = Int128(source.denominator) * Int128(target.numerator)
        let magnitude = (abs(product) + divisor / 2) / divisor
        let signed = product < 0 ? -magnitude : magnitude
        return signed > Int128(Int64.max) ? .max : signed < -Int128(Int64.max) ? .min : Int64(signed)
    }

    private static let units = [
        Rational(1, 1), Rational(1, 1000), Rational(1, 90000), Rational(1001, 30000), Rational(1, 48000),
        Rational(1, 1_000_000), Rational(2, 3), Rational(1, Int(Int32.max)), Rational(Int(Int32.max), 1),
    ]

    @Test("equals exact arithmetic", arguments: units, units)
    func equalsModel(source: Rational, target: Rational) {
        let edges: [Int64] = [0, 1, -1, 2, -2, 3, 499, 500, 501, 1 << 40, -(1 << 40), .max, -.max, .max / 2]
        let others = (1...200).map {
            Int64(bitPattern: UInt64($0) &* 0x9e37_79b9_7f4a_7c15) >> Int64($0 % 63)
        }
        for ticks in edges + others {
            let found = MediaTime.rescale(ticks, from: source, to: target)
            #expect(found == model(ticks, source, target), "\(ticks) of \(source) in \(target)")
        }
    }

    @Test(
        "rounds halves away from zero",
        arguments: [(1, 1), (-1, -1), (3, 2), (-3, -2), (2, 1), (-2, -1)])
    func halves(ticks: Int64, expected: Int64) {
        #expect(MediaTime.rescale(ticks, from: Rational(1, 2), to: Rational(1, 1)) == expected)
    }

    @Test("units beyond 32 bits saturate without a trap")
    func huge() {
        let large = [Rational(.max, 1), Rational(1, .max), Rational(.max, .max), Rational(.min, 1), Rational(0, 0)]
        for source in large {
            for target in large {
                for ticks in [0, 1, -1, .max, .min] as [Int64] {
                    _ = MediaTime.rescale(ticks, from: source, to: target)
                }
            }
        }
        #expect(MediaTime.rescale(1, from: Rational(.max, 1), to: Rational(1, .max)) == 1 << 62)
        #expect(MediaTime.rescale(1 << 40, from: Rational(1, .max), to: Rational(.max, 1)) == 0)
        #expect(MediaTime.rescale(7, from: Rational(.max, .max), to: Rational(.max - 1, .max - 1)) == 7)
    }

    @Test("a round trip through a finer unit gives the same time")
    func roundTrip() {
        for ticks in Int64(-1000)...1000 {
            let time = MediaTime(ticks, Rational(1, 25))
            #expect(time.rescaled(to: Rational(1, 90000)).rescaled(to: Rational(1, 25)) == time)
        }
    }

    @Test("seconds become the nearest microsecond and back")
    func seconds() {
        #expect(MediaTime(seconds: 1.5).ticks == 1_500_000)
        #expect(MediaTime(seconds: -0.000_000_6).ticks == -1)
        #expect(MediaTime(3, Rational(1, 2)).seconds == 1.5)
    }
}
