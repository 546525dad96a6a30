import Testing

@testable import VTXTranscode

@Suite("Overlapping cues in timed text")
struct TimedTextCuesTests {
    private static func text(_ text: String, styles: [UInt8] = []) -> [UInt8] {
        [0, UInt8(text.utf8.count)] + Array(text.utf8)
            + (styles.isEmpty ? [] : [0, 0, 0, UInt8(10 + styles.count)] + Array("styl".utf8) + [0, 1] + styles)
    }

    private func samples(_ cues: [(String, Int64, Int64)]) -> [String] {
        var sequence = TimedTextCues()
        let samples =
            cues.flatMap { sequence.add(.init(bytes: Self.text($0.0), start: $0.1, end: $0.2)) } + sequence.finish()
        return samples.map { "\($0.start)-\($0.end) \(String(decoding: $0.bytes.dropFirst(2), as: UTF8.self))" }
    }

    @Test("consecutive cues are unchanged, with their pauses")
    func apart() {
        #expect(samples([("a", -5, 10), ("b", 10, 20), ("c", 30, 40)]) == ["-5-10 a", "10-20 b", "30-40 c"])
    }

    @Test("while several are visible, a sample has the text of all; none moves")
    func overlaps() {
        #expect(samples([("a", 2, 15), ("b", 8, 18)]) == ["2-8 a", "8-15 a\nb", "15-18 b"])
        #expect(samples([("a", 0, 30), ("b", 10, 20)]) == ["0-10 a", "10-20 a\nb", "20-30 a"])
        #expect(samples([("a", 0, 10), ("b", 0, 10)]) == ["0-10 a\nb"])
    }

    @Test("styles keep their characters")
    func styles() {
        let style: [UInt8] = [0, 0, 0, 1, 0, 1, 1, 16, 255, 255, 255, 255]
        var sequence = TimedTextCues()
        _ = sequence.add(.init(bytes: Self.text("h\u{e9}"), start: 0, end: 10))
        _ = sequence.add(.init(bytes: Self.text("i", styles: style), start: 0, end: 10))
        let moved: [UInt8] = [0, 3, 0, 4] + style[4...]
        #expect(sequence.finish().map(\.bytes) == [Self.text("h\u{e9}\ni", styles: moved)])
    }
}
