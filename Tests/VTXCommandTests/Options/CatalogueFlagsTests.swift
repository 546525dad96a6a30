import Testing
import VTXJSON
import VTXMedia
import VTXTask

@testable import VTXCommand

@Suite("The catalogue's options as flags")
struct CatalogueFlagsTests {
    @Test("every option of the catalogue has flags in help, manual, reference and completions")
    func everywhere() {
        let texts = [
            HelpText.page(for: .transcode, width: 100), MarkdownReference.text(for: .transcode),
            ManPage.text(version: "1", commands: [.transcode]).replacing("\\-", with: "-"),
            BashCompletions.text(for: [.transcode]), ZshCompletions.text(for: [.transcode]),
            FishCompletions.text(for: [.transcode]).replacing("-l ", with: "--"),
        ]
        let flags = Grammar.transcode.options.map(\.description)
        for option in OptionCatalogue.options {
            let own = FlagSpelling.shorthands.filter { $0.option == option.name }.map(\.long)
            let names = FlagSpelling.isShorthandOnly(option.name) ? own : [FlagSpelling.long(option.name)]
            for name in names {
                #expect(flags.contains { $0.long == name }, "\(name)")
                #expect(texts.allSatisfy { $0.contains("--\(name)") }, "\(name)")
            }
        }
    }

    @Test("the settings in JSON are the catalogue's, in the table and in the schema")
    func topics() throws {
        let table = HelpTopic.settings.markdown
        let properties = try #require(JSONValue(parsing: HelpTopic.schema.markdown)["properties"]?.object)
        for option in OptionCatalogue.options {
            #expect(table.contains("| `\(option.name.rawValue)` | ") && properties[option.name.rawValue] != nil)
        }
        #expect(properties.count == OptionCatalogue.options.count)
        #expect(table.split(separator: "\n").dropFirst(2).allSatisfy { !$0.contains("--") })
    }

    @Test("settings become arguments, and the arguments make the same request")
    func arguments() throws {
        let settings: Settings = [
            .codec: "hevc", .bitrate: "5000000", .bFrames: "false", .metadata: "true", .rotatePixels: "true",
            .device: "pci:0000:03:00.0", .size: "1280x", .overwrite: "replace", .timestamps: "zero",
            .fragmented: "false", .failOnDowngrade: "true", .keyFrameInterval: "120,5s", .audioTrack: "0:aac\n0:copy",
        ]
        let arguments = FlagSpelling.arguments(settings)
        #expect(arguments.contains("--codec=hevc") && arguments.contains("--overwrite"))
        #expect(arguments.filter { $0.hasPrefix("--audio-track=") } == ["--audio-track=0:aac", "--audio-track=0:copy"])
        let parsed = try #require(
            try ArgumentParser.parse(arguments + ["--no-journal", "--", "in", "out"], by: .transcode)
        )
        .checked()
        #expect(parsed.request == (try TranscodeRequest(input: "in", output: "out", settings: settings)))
    }

    @Test("a value like a flag stays a value")
    func value() { #expect(FlagSpelling.arguments([.profile: "--overwrite"]) == ["--profile=--overwrite"]) }

    @Test(
        "a bad value, an unknown name and a conflict have the catalogue's messages, with flags",
        arguments: [
            (["--quality=101"], ["quality": 101]), (["--preset", "quick"], ["preset": "quick"]),
            (["--bitrate", "999"], ["bitrate": 999]),
            (["--hw=off", "--fail-on-fallback"], ["hardware": "off", "failOnFallback": true]),
            (["--h264", "--profile", "main10"], ["codec": "h264", "profile": "main10"]),
            (["--quality=70", "--bitrate=5M"], ["quality": 70, "bitrate": "5M"]),
            (["--scaling=fill"], ["scaling": "fill"]),
        ] as [([String], [String: JSONValue])])
    func sameWords(arguments: [String], settings: [String: JSONValue]) throws {
        let given = try #require(throws: UsageError.self) {
            try ArgumentParser.parse(["in"] + arguments, by: .transcode)?.checked()
        }.asTranscodeError
        let error = try #require(OptionCatalogue.problems(in: settings).first).error
        #expect(given.kind == error.kind && given.message.text(FlagSpelling.spelling) == error.message.withFlags)
    }

    @Test("--bake-rotation is a hidden alias of --rotate-pixels")
    func alias() throws {
        let settings = try #require(try ArgumentParser.parse(["in", "--rotate-pixels"], by: .transcode))
        #expect(settings.request.rotatesPixels)
        #expect(try ArgumentParser.parse(["in", "--bake-rotation"], by: .transcode)?.request == settings.request)
        #expect(!HelpText.page(for: .transcode, width: 100).contains("bake"))
    }
}
