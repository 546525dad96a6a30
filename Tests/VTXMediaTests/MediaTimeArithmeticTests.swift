import Testing
import VTXMedia

@Suite("Times compare and add by value")
struct MediaTimeArithmeticTests {
    private static let invalid = MediaTime(5, Rational(0, 0))
    private static let times: [MediaTime] = [
        MediaTime(.min, Rational(.max, 1)), MediaTime(-1, 1), MediaTime(-1, Rational(1, 3)), .zero,
        MediaTime(1, Rational(1, .max)), MediaTime(1, Rational(1, 90_000)), MediaTime(1001, Rational(1, 30_000)),
        MediaTime(1, Rational(1, 2)), MediaTime(2, Rational(1, 3)), MediaTime(value: 600, timescale: 600),
        MediaTime(.max - 1, 1), MediaTime(.max, 1), MediaTime(.max, Rational(.max, 1)), invalid,
    ]

    @Test("equal values in other time bases are equal, with the same hash")
    func equal() {
        let half = [MediaTime(1, Rational(1, 2)), MediaTime(2, Rational(1, 4)), MediaTime(value: 300, timescale: 600)]
        #expect(Set(half).count == 1)
        #expect(Set([MediaTime(0, 1), MediaTime(0, Rational(1001, 30_000)), .zero]).count == 1)
        #expect(MediaTime(1, Rational(1, 30)) != MediaTime(1001, Rational(1, 30_000)))
        #expect(Set([Self.invalid, MediaTime(1, Rational(-1, 30))]).count == 1)
    }

    @Test("times have a total order, with invalid times last")
    func order() {
        #expect(Self.times.reversed().sorted() == Self.times)
        for (index, time) in Self.times.enumerated() {
            for other in Self.times[(index + 1)...] { #expect(time < other && !(other < time) && time != other) }
            #expect(!(time < time) && time == time)
        }
    }

    @Test("a time between two units is rounded by the rule, by default halves away from zero")
    func rounding() {
        let half = MediaTime(5, Rational(1, 10))
        let rules: [(FloatingPointRoundingRule, Int64, Int64)] = [
            (.toNearestOrAwayFromZero, 1, -1), (.toNearestOrEven, 0, 0), (.towardZero, 0, 0), (.awayFromZero, 1, -1),
            (.up, 1, 0), (.down, 0, -1),
        ]
        for (rule, plus, minus) in rules {
            #expect(half.converted(toTimescale: 1, rounding: rule).ticks == plus, "\(rule)")
            #expect((-half).converted(toTimescale: 1, rounding: rule).ticks == minus, "\(rule)")
        }
        #expect(half.converted(toTimescale: 1).ticks == 1 && half.converted(toTimescale: 600).ticks == 300)
        #expect(MediaTime(3, Rational(1, 2)).converted(toTimescale: 1, rounding: .toNearestOrEven).ticks == 2)
        #expect(MediaTime(.max, 1).converted(toTimescale: 600, rounding: .down).ticks == .max)
        #expect(MediaTime(seconds: 1.5, timescale: 600) == MediaTime(value: 900, timescale: 600))
        for ticks in Int64(-50)...50 {
            let time = MediaTime(ticks, Rational(1001, 30_000))
            #expect(time.converted(toTimescale: 25) == time.rescaled(to: Rational(1, 25)))
        }
    }

    @Test("a sum is exact if a time base can represent it")
    func sums() {
        let sum = MediaTime(1, Rational(1001, 30_000)) + MediaTime(1, Rational(1, 90_000))
        #expect(sum.ticks == 3004 && sum.timeBase == Rational(1, 90_000))
        #expect(MediaTime(1, Rational(1, 3)) + MediaTime(1, Rational(1, 2)) == MediaTime(5, Rational(1, 6)))
        #expect(MediaTime(1, Rational(1, 3)) - MediaTime(1, Rational(1, 2)) == MediaTime(-1, Rational(1, 6)))
        #expect(-MediaTime(3, Rational(1, 4)) == MediaTime(-3, Rational(1, 4)))
        #expect(MediaTime(3, Rational(1, 4)) * 4 == MediaTime(3, 1))
        #expect((1...30).reduce(MediaTime.zero) { time, _ in time + MediaTime(1, Rational(1, 30)) } == MediaTime(1, 1))
    }

    @Test("a sum that no 31-bit time base represents is rounded to the finer one")
    func rounded() {
        let (fine, odd) = (Rational(1, 2_147_483_647), Rational(1, 2_147_483_629))
        let sum = MediaTime(1, fine) + MediaTime(1, odd)
        #expect(sum.timeBase == fine && sum.ticks == 2)
    }

    @Test("overflow saturates, and invalid times stay invalid")
    func limits() {
        #expect((MediaTime(.max, 1) + MediaTime(.max, 1)).ticks == .max)
        #expect((MediaTime(-.max, 1) - MediaTime(.max, 1)).ticks == .min)
        #expect((MediaTime(.max, 1) * -2).ticks == .min && (MediaTime(.max, 1) * 2).ticks == .max)
        #expect(!(Self.invalid + .zero).isValid && !(.zero - Self.invalid).isValid)
        #expect(!Self.invalid.converted(toTimescale: 600).isValid)
        for time in Self.times { for other in Self.times { _ = (time + other, time - other) } }
    }
}
