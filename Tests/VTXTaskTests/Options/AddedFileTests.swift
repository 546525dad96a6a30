import Testing
import VTXJSON
import VTXMedia
import VTXTask

@Suite("Added files")
struct AddedFileTests {
    @Test("a file's properties follow its path")
    func properties() throws {
        let file = try #require(AddedFile(text: "dir/movie.srt:language=de:title=Untertitel:default:forced"))
        #expect(file.path == "dir/movie.srt" && file.marks.language == "deu" && file.marks.title == "Untertitel")
        #expect(file.marks.isDefault && file.marks.isForced)
        #expect("\(file)" == "dir/movie.srt:language=deu:title=Untertitel:default:forced")
    }

    @Test("colons belong to the path or the title if no property follows them")
    func colons() throws {
        let file = try #require(AddedFile(text: "a:b:c.srt:title=Part 1: the end:default"))
        #expect(file.path == "a:b:c.srt" && file.marks.title == "Part 1: the end" && file.marks.isDefault)
    }

    @Test(
        "languages are ISO 639's, with two letters or three",
        arguments: [
            ("de", "deu"), ("ger", "deu"), ("pt-BR", "por-BR"), ("zh-hant-x-own", "zho-Hant"), ("gsw", "gsw"),
            ("xx", nil), ("german", nil),
        ])
    func languages(tag: String, code: String?) {
        #expect(AddedFile(text: "a.srt:language=\(tag)")?.marks.language == code)
    }

    @Test("the option is repeatable, and a list in JSON")
    func list() throws {
        let settings = try TranscodeRequest.settings(["addSubtitles": ["a.srt", "b.srt:forced"], "addAudio": "c.mka"])
        let request = try TranscodeRequest(input: "in", settings: settings)
        #expect(
            request.addedSubtitles.map(\.path) == ["a.srt", "b.srt"] && request.addedAudio.map(\.path) == ["c.mka"])
        #expect(request.jsonSettings["addSubtitles"] == ["a.srt", "b.srt:forced"])
        #expect(request.jsonSettings["addAudio"] == ["c.mka"])
    }

    @Test("audio cannot be added to an output that has none; the hint says how to leave out the source's")
    func contradiction() {
        let error = #expect(throws: TranscodeError.self) {
            try TranscodeRequest(input: "in", settings: [.audio: "none", .addAudio: "a.mka"])
        }
        #expect(error?.kind == .conflict && error?.hint?.contains("audioStreams=none") == true)
    }
}
