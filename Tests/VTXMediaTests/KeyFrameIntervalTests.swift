import Testing
import VTXMedia

@Suite("The key-frame interval")
struct KeyFrameIntervalTests {
    @Test(
        "reads frames, seconds or both",
        arguments: [
            ("120", KeyFrameInterval(frames: 120)), ("5s", KeyFrameInterval(seconds: 5)),
            ("120,5s", KeyFrameInterval(frames: 120, seconds: 5)),
            ("2.5s,10", KeyFrameInterval(frames: 10, seconds: 2.5)),
        ])
    func reads(text: String, expected: KeyFrameInterval) { #expect(KeyFrameInterval(text) == expected) }

    @Test(
        "refuses the rest",
        arguments: ["", "0", "-1", "0s", "s", "5s,5s", "1,2", "5,", "nans", "infs", "100001", "3601s", "5 s"])
    func refuses(text: String) { #expect(KeyFrameInterval(text) == nil) }

    @Test(
        "in frames it is the smaller one",
        arguments: [
            (KeyFrameInterval(frames: 10, seconds: 5), 10), (KeyFrameInterval(frames: 1000, seconds: 5), 150),
            (KeyFrameInterval(seconds: 5), 150), (KeyFrameInterval(), 150),
            (KeyFrameInterval(seconds: 0.001), 1),
        ])
    func frames(interval: KeyFrameInterval, expected: Int) {
        #expect(interval.frameCount(at: Rational(30000, 1001)) == expected)
    }

    @Test(
        "at an invalid rate it is still a number",
        arguments: [Rational(0, 0), Rational(1, 0), 0, Rational(.max, 1)])
    func noRate(rate: Rational) {
        for interval in [KeyFrameInterval(), KeyFrameInterval(frames: 7), KeyFrameInterval(seconds: 2)] {
            #expect((1...1_000_000).contains(interval.frameCount(at: rate)))
        }
    }
}
