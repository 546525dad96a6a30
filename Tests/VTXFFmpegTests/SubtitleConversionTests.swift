import Testing
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Text subtitles in another format")
struct SubtitleConversionTests {
    /// The text of each cue.
    private func converted(_ texts: [String], from source: String, to codec: String) throws -> [String] {
        let recipe = SubtitleRecipe {
            $0.codec = source
            $0.cues = texts.enumerated().map { .init(Double($0.offset), Double($0.offset) + 0.5, $0.element) }
        }
        let directory = try TemporaryDirectory()
        let path = directory.file("a.mkv")
        try MovieRecipe(VideoRecipe(), nil) { $0.subtitles = [recipe] }.write(to: path)
        let demuxer = try Demuxer(path: path)
        let stream = try #require(demuxer.streams.first { $0.kind == .subtitle })
        let converter = try SubtitleConverter(stream, to: codec)
        var cues: [String] = []
        while let packet = try demuxer.read() {
            guard packet.streamIndex == stream.index, case .cue(let cue) = try converter.convert(packet) else {
                continue
            }
            cues.append(String(decoding: cue.bytes, as: UTF8.self))
        }
        return cues
    }

    @Test("what begins tags and entities is escaped in WebVTT, and tags stay tags")
    func escaping() throws {
        let cues = try converted(["I <3 you & <b>me</b>, 2 > 1"], from: "subrip", to: "webvtt")
        #expect(cues == ["I &lt;3 you &amp; <b>me</b>, 2 &gt; 1"])
        #expect(try converted(["I <3 you & me"], from: "subrip", to: "subrip") == ["I <3 you & me"])
    }

    @Test("drawings of ASS are no text", arguments: ["webvtt", "subrip"])
    func drawings(codec: String) throws {
        let drawing = #"{\p1}m 0 0 l 100 0 100 100{\p0}"#
        let cues = try converted(
            [drawing, drawing + "sign", #"{\pos(10,10)}{\pbo2}text"#], from: "ass", to: codec)
        #expect(cues.count == 2 && cues[0].contains("sign") && !cues[0].contains("m 0"), "\(cues)")
        #expect(cues.last?.contains("text") == true)
    }
}
