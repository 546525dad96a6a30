import Testing

@testable import VTXTranscode

@Suite("Blocks of WebVTT")
struct WebVTTBlocksTests {
    private let cues = "00:00.500 --> 00:01.500\nHello\n\n2\n00:02.000 --> 00:03.000\ntwo\nlines\n"

    @Test("a file that contains only cues is read as it is")
    func unchanged() {
        #expect(WebVTTBlocks.cues(of: "WEBVTT\n\n" + cues) == nil)
        #expect(WebVTTBlocks.cues(of: "WEBVTT - a title\nKind: captions\r\n\r\n" + cues) == nil)
        #expect(WebVTTBlocks.cues(of: "WEBVTT") == nil)
    }

    @Test("styles, regions and notes are left out", arguments: ["\n", "\r\n", "\r"])
    func blocks(lineEnd: String) {
        let text = "WEBVTT\n\nSTYLE\n::cue {\n  color: red;\n}\n\nREGION\nid:fred\n\nNOTE a note\n\n" + cues
        let split = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineEnd)
        let found = WebVTTBlocks.cues(of: split)
        #expect(found?.text == "WEBVTT\n\n" + cues && found?.count == 2)
    }

    @Test("a style in the middle does not end the cues")
    func middle() {
        let (first, second) = ("00:00.500 --> 00:01.500\nHello\n\n", "00:02.000 --> 00:03.000\nb\n")
        let found = WebVTTBlocks.cues(of: "WEBVTT\n\n" + first + "STYLE\n::cue { color: red; }\n\n" + second)
        #expect(found?.text == "WEBVTT\n\n" + first + second)
    }
}
