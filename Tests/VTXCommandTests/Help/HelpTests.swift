import Testing

@testable import VTXCommand

@Suite("Help, manual and reference")
struct HelpTests {
    @Test("help shows every option within the width", arguments: [40, 80, 100])
    func helpPages(width: Int) {
        for command in Program.commands {
            let page = HelpText.page(for: command, width: width)
            for option in command.options { #expect(page.contains(HelpPhrases.heading(of: option))) }
            let texts = page.split(separator: "\n").prefix { $0 != "Examples" }
            #expect(texts.allSatisfy { $0.count <= max(width, 60) })
        }
    }

    @Test("help has defaults, values, conflicts and requirements from the table")
    func tableFacts() throws {
        func sentences(_ name: String) throws -> String {
            let option = try #require(Command.transcode.options.first { $0.long == name })
            return HelpPhrases.sentences(for: option, rules: Command.transcode.rules)
        }
        #expect(try sentences("preset").hasSuffix("Default: balanced."))
        #expect(try sentences("denoise").hasSuffix("One of light, medium or strong."))
        #expect(try sentences("hevc").hasSuffix("Not with --codec, --h264 or --av1."))
        #expect(try sentences("scaling").hasSuffix("Needs --size."))
    }

    @Test("the overview lists every command")
    func overview() {
        let text = HelpText.overview(of: Program.commands, width: 80)
        for command in Program.commands { #expect(text.contains("  \(command.name)  ")) }
    }

    @Test("the Markdown reference has a row for every option")
    func markdown() {
        for command in Program.commands {
            let rows = MarkdownReference.text(for: command).split(separator: "\n")
            for option in command.options {
                let cell = "| `\(HelpPhrases.heading(of: option).replacing("|", with: "\\|"))` | "
                #expect(rows.count { $0.hasPrefix(cell) && $0.hasSuffix(" |") } == 1)
            }
        }
    }

    @Test("the manual has every option, and hyphens that can be copied")
    func manual() {
        let page = ManPage.text(version: "1.2.3", commands: Program.commands)
        #expect(page.hasPrefix(".TH VTX 1 \"\" \"vtx 1.2.3\""))
        for option in Program.commands.flatMap(\.options) {
            #expect(page.contains("\\fB\(ManPage.escaped(option.flag))\\fR"))
        }
        #expect(!page.contains("--"))
    }

    @Test("text is escaped for roff")
    func roffEscapes() {
        #expect(ManPage.escaped(".SH a\\b-c") == "\\&.SH a\\eb\\-c")
        #expect(ManPage.escaped("'quoted'") == "\\(aqquoted\\(aq")
    }

    @Test("the first sentence ends at a full stop that ends a word")
    func firstSentence() {
        #expect(HelpPhrases.firstSentence(of: "About 1.6 times. And more.") == "About 1.6 times")
        #expect(HelpPhrases.firstSentence(of: "No stop") == "No stop")
    }
}
