import Testing
import VTXMedia
import VTXTask

@testable import VTXCommand

/// A small command line: two flags, an option with a value, a required and an optional argument.
private struct Settings: CommandSettings {
    var isLoud = false
    var isOld = false
    var level: String?
    var first = ""
    var second: String?

    init() {}
}

@Suite("Reading arguments")
struct ArgumentParserTests {
    private let grammar = Grammar<Settings>(
        positionals: [
            .required(.filePath("FIRST"), into: \.first, "One."),
            .optional(.filePath("SECOND"), into: \.second, "Two."),
        ],
        groups: [
            OptionGroup(
                "Options",
                [
                    .flag("loud", short: "l", sets: \.isLoud, to: true, "Loud."),
                    .flag("old", short: "o", sets: \.isOld, to: true, "Old."),
                    .optional("level", .word("LEVEL", of: ["low", "high"]), into: \.level, "Level."),
                ])
        ],
        rules: OptionRules(
            exclusive: [["loud", "old"]], requirements: [.init(option: "old", needs: "level")]))

    private func parse(_ arguments: String...) throws(UsageError) -> Settings? {
        try ArgumentParser.parse(arguments, by: grammar)
    }

    @Test(
        "options may precede, separate and follow the arguments",
        arguments: [
            ["--level", "low", "a", "b"], ["a", "--level", "low", "b"], ["a", "b", "--level=low"],
        ])
    func order(arguments: [String]) throws {
        let settings = try #require(try ArgumentParser.parse(arguments, by: grammar))
        #expect(settings.level == "low")
        #expect(settings.first == "a")
        #expect(settings.second == "b")
    }

    @Test("-- ends the options")
    func endOfOptions() throws {
        let settings = try #require(try parse("--level", "low", "--", "--level", "-l"))
        #expect(settings.first == "--level")
        #expect(settings.second == "-l")
        #expect(!settings.isLoud)
    }

    @Test("the last of repeated options applies")
    func repetition() throws {
        #expect(try parse("a", "--level=low", "--level=high")?.level == "high")
    }

    @Test("a value may contain equals signs or be empty, and is validated by its type")
    func oddValues() {
        #expect(throws: UsageError.badValue("low=", for: "--level", expected: "low or high", nearest: "low")) {
            try parse("a", "--level=low=")
        }
        #expect(throws: UsageError.badValue("", for: "--level", expected: "low or high", nearest: nil)) {
            try parse("a", "--level=")
        }
    }

    @Test("short flags can be bundled, and an unknown one in a bundle is named")
    func bundles() {
        #expect(throws: UsageError.conflict("--loud", "--old")) { try parse("-lo", "a") }
        #expect(throws: UsageError.unknownOption("-x", nearest: nil)) { try parse("-lx", "a") }
    }

    @Test("an unknown option is named, with the nearest known one")
    func unknownOption() {
        #expect(throws: UsageError.unknownOption("--levle", nearest: "--level")) {
            try parse("--levle=low", "a")
        }
        #expect(throws: UsageError.unknownOption("--zebra", nearest: nil)) { try parse("--zebra", "a") }
    }

    @Test("a file name like an option gets a hint")
    func dashedNames() throws {
        for name in ["-dash.mp4", "--dash.mp4"] {
            let error = #expect(throws: UsageError.self) { try parse(name) }
            #expect(error?.asTranscodeError.hint?.contains("goes after '--'") == true)
        }
        #expect(UsageError.unknownOption("--zebra", nearest: nil).asTranscodeError.hint == nil)
    }

    @Test("a missing value is detected, at the end and before another option")
    func missingValue() {
        let error = UsageError.missingValue(option: "--level", expected: "low or high")
        #expect(throws: error) { try parse("a", "--level") }
        #expect(throws: error) { try parse("a", "--level", "--loud") }
    }

    @Test("a flag takes no value")
    func flagWithValue() {
        #expect(throws: UsageError.unexpectedValue(option: "--loud")) { try parse("a", "--loud=yes") }
    }

    @Test("an option that needs another one is an error without it")
    func requirement() throws {
        #expect(throws: UsageError.needs("--old", "--level")) { try parse("a", "--old") }
        #expect(try parse("a", "-o", "--level", "low")?.isOld == true)
    }

    @Test("too few and too many arguments have different errors")
    func argumentCount() {
        #expect(throws: UsageError.missingArgument("FIRST")) { try parse("--loud") }
        #expect(throws: UsageError.unexpectedArgument("c")) { try parse("a", "b", "c") }
    }

    @Test("an empty name and a dash are not files", arguments: ["", "-"])
    func noFile(name: String) {
        #expect(throws: UsageError.self) { try parse(name) }
        #expect(throws: UsageError.self) { try parse("a", name) }
    }

    @Test("help overrides missing arguments, and after -- it is a file name")
    func help() throws {
        #expect(try parse("--help") == nil)
        #expect(try parse("-h", "--whatever") == nil)
        #expect(try parse("--", "--help")?.first == "--help")
    }
}
