import Testing
import VTXMedia

@Suite("Language codes")
struct LanguageCodeTests {
    @Test(
        "the long form has three letters, the script and the region",
        arguments: [
            ("pt-br", "por-BR"), ("zh_HANT-tw", "zho-Hant-TW"), ("es-419", "spa-419"), ("ger", "deu"),
            ("de-forced", "deu"), ("en-US-x-mine", "eng-US"),
        ])
    func long(tag: String, wanted: String) { #expect(LanguageCode.long(tag) == wanted) }

    @Test(
        "ISO 639-1, 639-2/T and 639-2/B are one language",
        arguments: [
            ["de", "deu", "ger"], ["fr", "fra", "fre"], ["zh", "zho", "chi"], ["cs", "ces", "cze"], ["en", "eng"],
            ["pt-BR", "por", "PT_pt"],
        ])
    func same(tags: [String]) {
        for one in tags { for other in tags { #expect(LanguageCode.isSame(one, other)) } }
    }

    @Test("the shortest tag has two letters if the language has such a code, and keeps its region")
    func shortest() {
        #expect(
            ["eng", "ger", "por_BR", "gsw", "EN"].map { LanguageCode.shortest($0) } == [
                "en", "de", "pt-BR", "gsw", "en",
            ])
    }

    @Test("languages without such codes are themselves", arguments: ["gsw", "und", "tlh", ""])
    func others(tag: String) {
        #expect(LanguageCode.canonical(tag) == tag && !LanguageCode.isSame(tag, "deu"))
    }
}
