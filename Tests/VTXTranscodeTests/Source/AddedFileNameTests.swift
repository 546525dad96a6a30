import Testing
import VTXMedia

@testable import VTXTranscode

@Suite("Metadata in a file's name")
struct AddedFileNameTests {
    @Test(
        "the language and the flags, as read by players",
        arguments: [
            ("movie.de.srt", "deu", []), ("movie.eng.forced.srt", "eng", ["forced"]), ("movie.pt-BR.srt", "por-BR", []),
            ("movie.en.sdh.srt", "eng", ["hearing_impaired"]),
            ("movie.forced.default.srt", nil, ["default", "forced"]),
            ("dir.de/movie.srt", nil, []), ("other.fr.srt", "fra", []), ("movie.srt", nil, []),
            ("movie.part2.srt", nil, []), ("de.srt", nil, []),
        ] as [(String, String?, [String])])
    func names(path: String, language: String?, marks: [String]) {
        let name = AddedFileName(path, beside: "/media/movie.mkv")
        #expect(name.language == language && name.disposition.names == marks)
    }

    @Test("words of the source's name are not a language")
    func movie() {
        #expect(AddedFileName("This.Is.It.srt", beside: "This.Is.It.mkv").language == nil)
        #expect(AddedFileName("This.Is.It.fr.srt", beside: "This.Is.It.mkv").language == "fra")
    }
}
