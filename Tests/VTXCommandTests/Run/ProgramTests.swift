import Glibc
import Testing
import VTXMedia
import VTXSystem
import VTXTask

@testable import VTXCommand

@Suite("The program")
struct ProgramTests {
    private let test = TestConsole()

    private func run(_ arguments: String...) -> Int32 { Program.run(arguments, on: test.console).rawValue }

    @Test("without arguments it prints help to standard error and ends with 2")
    func noArguments() {
        #expect(run() == 2)
        #expect(test.messages.text.hasPrefix("Usage: vtx"))
        #expect(test.output.text.isEmpty)
    }

    @Test("requested help goes to standard output", arguments: ["--help", "-h", "help"])
    func help(argument: String) {
        #expect(run(argument) == 0)
        #expect(test.output.text.hasPrefix("Usage: vtx COMMAND"))
        #expect(test.messages.text.isEmpty)
    }

    @Test("both forms of a command's help are equal")
    func commandHelp() {
        #expect(run("help", "transcode") == 0)
        let other = TestConsole()
        #expect(Program.run(["transcode", "--help"], on: other.console) == .success)
        #expect(test.output.text == other.output.text)
        #expect(test.output.text.hasPrefix("Usage: vtx transcode [OPTION]... INPUT [OUTPUT]\n"))
    }

    @Test("help for an unknown command is an error with a suggestion")
    func unknownHelp() {
        #expect(run("help", "trascode") == 2)
        #expect(test.messages.lines.last == "vtx: hint: did you mean 'transcode'?")
    }

    @Test("the version is printed as text and as a record")
    func version() {
        #expect(run("--version") == 0)
        #expect(test.output.text.split(separator: "\n")[0].hasSuffix(Program.version))
        let other = TestConsole()
        #expect(Program.run(["version", "--json"], on: other.console) == .success)
        #expect(other.output.lines[0].hasSuffix("\"type\":\"version\",\"version\":\"\(Program.version)\"}"))
    }

    @Test("an unknown command is named, with the nearest one")
    func unknownCommand() {
        #expect(run("trasncode", "in.mkv") == 2)
        #expect(
            test.messages.lines == [
                "vtx: error: there is no command 'trasncode'", "vtx: hint: did you mean 'transcode'?",
            ])
    }

    @Test("a file in place of the command gets a hint")
    func forgottenCommand() {
        #expect(run("my clip.mkv", "out.mp4") == 2)
        #expect(test.messages.text.contains("vtx transcode 'my clip.mkv'"))
    }

    @Test(
        "with --json a usage error ends with a result record",
        arguments: [
            ["transcode", "--json"], ["transcode", "in.mkv", "--bogus", "--json"], ["bogus", "--json"],
            ["transcode", "--json", "--quality", "200", "in.mkv"], ["help", "--json"],
        ])
    func jsonUsageErrors(arguments: [String]) {
        #expect(Program.run(arguments, on: test.console) == .usage)
        #expect(test.output.lines.count == 1)
        #expect(
            test.output.text.contains("\"exitCode\":2") && test.output.text.contains("\"type\":\"result\""))
        #expect(test.messages.text.hasPrefix("vtx: error: "))
    }

    @Test("--json after -- is a file's name")
    func jsonAsName() {
        #expect(!Program.asksForJSON(["transcode", "--", "--json"]))
    }

    @Test("an argument that is not UTF-8 is an error, not another name")
    func invalidUTF8() throws {
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("vtx"), strdup("a?.mkv"), nil]
        defer { words.forEach { free($0) } }
        let name = try #require(words[1])
        name[1] = CChar(bitPattern: 0xFF)
        var pointers = words
        #expect(throws: ProcessArguments.NotUTF8(repaired: "a\u{FFFD}.mkv")) { try ProcessArguments.read(2, &pointers) }
        name[1] = CChar(bitPattern: 0x5F)
        #expect(try ProcessArguments.read(2, &pointers) == ["a_.mkv"])
    }
}
