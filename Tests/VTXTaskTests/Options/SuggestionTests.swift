import Testing

@testable import VTXTask

@Suite("Suggestions")
struct SuggestionTests {
    @Test(
        "distance counts added, removed, changed and swapped letters",
        arguments: [
            ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "abd", 1), ("kitten", "sitting", 3),
        ])
    func distance(left: String, right: String, expected: Int) {
        #expect(Suggestion.distance(left, right) == expected)
        #expect(Suggestion.distance(right, left) == expected)
    }

    @Test("typing errors and abbreviations find their option")
    func near() {
        let words = ["--preset", "--profile", "--progress"]
        #expect(Suggestion.nearest(to: "--perset", in: words) == "--preset")
        #expect(Suggestion.nearest(to: "--prof", in: words) == "--profile")
        #expect(Suggestion.nearest(to: "--PRESET", in: words) == "--preset")
    }

    @Test("dissimilar words find nothing", arguments: ["--zebra", "", "x", "--"])
    func far(word: String) {
        #expect(Suggestion.nearest(to: word, in: ["--preset", "fast"]) == nil)
    }
}
