import Testing
import VTXMedia

@Suite("Rational numbers as users write them")
struct RationalTests {
    @Test(
        "reads whole numbers, fractions, ratios and broadcast rates",
        arguments: [
            ("30", Rational(30, 1)), ("30000/1001", Rational(30000, 1001)), ("16:9", Rational(16, 9)),
            ("29.97", Rational(30000, 1001)), ("23.976", Rational(24000, 1001)),
            ("59.94", Rational(60000, 1001)),
            ("119.88", Rational(120_000, 1001)), ("12.5", Rational(12500, 1000)),
            ("0.5", Rational(500, 1000)),
        ])
    func reads(text: String, value: Rational) { #expect(Rational(text) == value) }

    @Test(
        "refuses other than positive numbers",
        arguments: [
            "", "0", "-1", "1/0", "0/1", "a", "1/2/3", "nan", "inf", "1e300", "-29.97", "99999999999", " 1",
            "1:",
        ])
    func refuses(text: String) { #expect(Rational(text) == nil) }

    @Test("a plain decimal keeps its value to a thousandth", arguments: [1.5, 24.5, 7.125, 100.001])
    func decimals(value: Double) throws {
        let read = try #require(Rational("\(value)"))
        #expect(abs(read.value - value) < 0.0005)
    }

    @Test("prints a denominator only if it is not 1")
    func prints() {
        #expect(Rational(24, 1).description == "24")
        #expect(Rational(30000, 1001).description == "30000/1001")
        #expect(Rational(30000, 1001).reciprocal == Rational(1001, 30000))
    }
}
