import Testing

@testable import VTXTranscode

@Suite("The decoder's input in a resumed run")
struct ResumeGateTests {
    /// A key frame each second, at 10 frames per second; each frame has a number.
    private func passed(
        resume: Double, frames: Int = 100, skips: Bool = true, untimed: Int? = nil
    ) -> (first: Int?, numbers: [Int], openedAt: Int?) {
        var gate = ResumeGate<Int>(resume: resume, skips: skips)
        var (passed, openedAt): ([Int], Int?) = ([], nil)
        for number in 0..<frames {
            let time = Double(number) / 10
            passed += gate.take(
                number, pts: number == untimed ? nil : time, dts: time, isRandomAccess: number % 10 == 0)
            if openedAt == nil, !gate.isClosed { openedAt = number }
        }
        passed += gate.finish()
        return (passed.first, passed, openedAt)
    }

    @Test(
        "begins at the last key frame before the resume point and the filters' past references",
        arguments: [
            (0.5, 0), (1.9, 0), (2.95, 0), (3.0, 10), (3.95, 10), (5.05, 30), (9.9, 70),
        ])
    func begins(resume: Double, first: Int) {
        let result = passed(resume: resume)
        #expect(result.first == first && result.numbers == Array(first..<100))
    }

    @Test("nothing is decoded until no later start is possible")
    func opens() { #expect(passed(resume: 5.05).openedAt == 31) }

    @Test("a resume point at the end decodes the last GOP at the end of the source")
    func atEnd() {
        let result = passed(resume: 20)
        #expect(result.openedAt == nil && result.numbers == Array(90..<100))
    }

    @Test("is the whole source without times")
    func everything() {
        #expect(passed(resume: 5, skips: false).numbers == Array(0..<100))
        #expect(passed(resume: 5, untimed: 0).numbers == Array(0..<100))
    }

    @Test("from a packet without a time on, nothing is skipped")
    func untimed() { #expect(passed(resume: 9, untimed: 25).numbers == Array(20..<100)) }
}
