import Testing

@testable import VTXMedia

@Suite("Timecode")
struct TimecodeTests {
    static let ntsc = Rational(30000, 1001)

    @Test("without drop frame, every label counts")
    func nonDrop() throws {
        let timecode = try #require(Timecode("01:00:00:00", at: Rational(24000, 1001)))
        #expect(timecode.frame == 86_400)
        #expect(timecode.advanced(by: 24).text == "01:00:01:00")
        #expect(timecode.advanced(by: 24 * 60 + 5).text == "01:01:00:05")
    }

    @Test("drop frame leaves out two labels at the start of each minute but every tenth")
    func dropFrame() throws {
        let timecode = try #require(Timecode("00:00:59;29", at: Self.ntsc))
        #expect(timecode.advanced(by: 1).text == "00:01:00;02")
        let tenth = try #require(Timecode("00:09:59;29", at: Self.ntsc))
        #expect(tenth.advanced(by: 1).text == "00:10:00;00")
        // An hour has 108 labels less.
        #expect(try #require(Timecode("01:00:00;00", at: Self.ntsc)).frame == 107_892)
        let fast = try #require(Timecode("00:00:59;59", at: Rational(60000, 1001)))
        #expect(fast.advanced(by: 1).text == "00:01:00;04")
    }

    @Test("what is parsed is printed, in each minute", arguments: [0, 1, 9, 10, 11, 59])
    func roundTrip(minute: Int) throws {
        let text = "23:\(minute < 10 ? "0" : "")\(minute):30;15"
        #expect(try #require(Timecode(text, at: Self.ntsc)).text == text)
    }

    @Test("it starts again after 24 hours")
    func wrap() throws {
        #expect(try #require(Timecode("23:59:59:24", at: 25)).advanced(by: 2).text == "00:00:00:01")
    }

    @Test("any other text is none", arguments: ["", "01:00:00", "25:00:00:00", "00:00:00:25", "a:b:c:d", "1:2:3:4:5"])
    func invalid(text: String) { #expect(Timecode(text, at: 25) == nil) }
}
