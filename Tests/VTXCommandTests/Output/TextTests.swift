import Testing
import VTXTask

@testable import VTXCommand

@Suite("Texts and amounts")
struct TextTests {
    @Test(
        "sizes are decimal",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345_678, "12.3 MB"), (999_949, "999.9 kB"),
            (999_999, "1.0 MB"), (4_000_000_000, "4.0 GB"), (5_000_000_000_000_000, "5000.0 TB"),
        ] as [(Int64, String)])
    func bytes(count: Int64, text: String) {
        #expect(Format.bytes(count) == text)
    }

    @Test(
        "times are clocks",
        arguments: [
            (0, "0:00"), (59.6, "1:00"), (61, "1:01"), (3723, "1:02:03"), (-1, "?"), (Double.nan, "?"),
        ])
    func clocks(seconds: Double, text: String) {
        #expect(Format.clock(seconds) == text)
    }

    @Test("NaN and infinity do not crash", arguments: [Double.nan, .infinity, 1e300])
    func noNumbers(value: Double) {
        #expect(Format.tenths(value) == "?")
    }

    @Test("small negative numbers keep their sign")
    func negative() {
        #expect(Format.tenths(-0.25) == "-0.3")
    }

    @Test("control characters in a file's name are escaped")
    func controlCharacters() {
        #expect("a\u{1B}[2Jb\n\u{9B}ü".printable == "a\\x1b[2Jb\\xa\\x9bü")
        #expect("plain ü".printable == "plain ü")
    }

    @Test(
        "arguments are quoted for a shell",
        arguments: [
            ("in.mkv", "in.mkv"), ("", "''"), ("two words", "'two words'"), ("it's", "'it'\\''s'"),
            ("$HOME", "'$HOME'"), ("ü", "'ü'"), ("a\nb'\\", "$'a\\x0ab\\'\\\\'"),
            ("scale=1280:720", "scale=1280:720"),
        ])
    func shellQuoting(argument: String, quoted: String) {
        #expect(ShellQuoting.quoted(argument) == quoted)
    }

    @Test("words wrap at the width, and a longer one has its own line")
    func wrapping() {
        #expect("one two three".wrapped(to: 7) == ["one two", "three"])
        #expect("a incomprehensible b".wrapped(to: 5) == ["a", "incomprehensible", "b"])
        #expect("".wrapped(to: 5) == [])
    }

    @Test("tables align all columns but the last")
    func tables() {
        let rows = [["codec", "HEVC", "the default"], ["size", "1280x720", ""]]
        #expect(PlanText.table(rows) == ["codec  HEVC      the default", "size   1280x720"])
        #expect(PlanText.table([]) == [])
    }

    @Test("an empty section is omitted")
    func sections() {
        #expect(PlanText.section("Notices", []) == "")
        #expect(PlanText.section("Notices", ["a"]) == "\nNotices\n  a\n")
    }

    @Test("the summary has the output and the speed")
    func summary() {
        var result = TranscodeResult(
            outcome: .completed, output: "out.mp4", frames: 1200, seconds: 48, bytes: 12_345_678,
            elapsedSeconds: 20, notices: [])
        #expect(Summary.text(for: result) == "out.mp4: 1200 frames, 12.3 MB, 0:48 in 0:20 (2.4x)")
        #expect(Summary.text(for: result, resumedSeconds: 28).hasSuffix("0:48 in 0:20 (1.0x)"))
        result.outcome = .skipped
        #expect(Summary.text(for: result) == "out.mp4: exists, skipped")
    }
}
