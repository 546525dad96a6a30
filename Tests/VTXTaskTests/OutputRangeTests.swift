import Testing
import VTXMedia
import VTXTask

@Suite("The part of the source that is transcoded")
struct OutputRangeTests {
    @Test(
        "has the frames of its duration; one frame less is correct if the audio ends later",
        arguments: [(28.84, 0, 721), (28.84, 720, 720), (28.8, 720, 720), (28.84, 719, 721), (28.84, 700, 721)])
    func frames(seconds: Double, indexed: Int, expected: Int) {
        var range = OutputRange(offset: MediaTime(0, Rational(1, 25)), expectedSeconds: seconds)
        #expect(range.expectedFrames(at: Rational(25, 1), indexed: indexed) == expected)
        range.end = seconds
        #expect(range.expectedFrames(at: Rational(25, 1), indexed: indexed) == (seconds == 28.8 ? 720 : 721))
        #expect(range.expectedFrames(at: Rational(0, 1), indexed: indexed) == nil)
    }
}
