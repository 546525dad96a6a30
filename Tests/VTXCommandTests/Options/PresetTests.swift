import Testing
import VTXJSON
import VTXMedia
import VTXSystem
import VTXTask

@testable import VTXCommand

@Suite("Presets")
final class PresetTests {
    private let home: String

    init() throws { home = try Directory.makeTemporary("vtx-presets") }

    deinit { Directory.removeTree(home) }

    private func write(_ text: String, to name: String) throws {
        try AtomicFile.write(text, to: "\(home)/\(name)", replaces: true)
    }

    private func settings(_ arguments: [String], _ files: PresetFiles? = nil) throws -> TranscodeRequest {
        let given = try #require(try ArgumentParser.parse(["in.mkv"] + arguments, by: .transcode))
        return try given.applyingPreset(files ?? PresetFiles(directory: home)).request
    }

    @Test("each makes a valid request", arguments: SettingsPreset.Name.allCases)
    func builtIn(name: SettingsPreset.Name) throws {
        let preset = SettingsPreset(name)
        let expected = try TranscodeRequest(
            input: "in.mkv", settings: try TranscodeRequest.settings(preset.settings))
        #expect(try settings(["--for", name.rawValue]) == expected)
        #expect(preset.description?.isEmpty == false && HelpTopic.presets.markdown.contains("| `\(name.rawValue)` |"))
    }

    @Test("its container is that of an output without a name")
    func container() throws {
        #expect(try settings(["--for=web"]).format == .mp4)
        #expect(try settings(["--for=web", "--format=mov"]).format == .mov)
        #expect(try settings(["out.mkv", "--for=web"]).format == nil)
        #expect(try settings(["out", "--for=web"]).format == .mp4)
        #expect(try settings(["more.mkv", "--for=web", "--output-dir=out"]).format == .mp4)
        #expect(try settings(["more.mkv", "out.mkv", "--for=web", "--concat"]).format == nil)
    }

    @Test("command line options override it, in any position, even with the default value")
    func own() throws {
        let request = try settings(["--preset", "balanced", "--for", "archive", "--h264"])
        #expect((request.preset, request.codec, request.quality?.value) == (.balanced, .h264, 85))
        #expect(try settings(["--for=chat", "--bitrate=1M"]).quality == nil)
        #expect(try settings(["--for=chat", "--target=ssim=0.97"]).quality == nil)
        #expect(try settings(["--for=chat", "--audio=none"]).audioBitrate == nil)
        let sized = try settings(["--size", "640x", "--for", "web"])
        #expect(sized.size == SizeRequest(width: 640, height: nil))
    }

    @Test("a file is a preset, and overrides one of its name")
    func files() throws {
        try write(#"{"settings": {"codec": "av1", "bFrames": false}}"#, to: "mine.json")
        try write(#"{"settings": {"codec": "hevc"}}"#, to: "web.json")
        let mine = try settings(["--for", "mine"])
        #expect(mine.codec == .av1 && !mine.allowsBFrames)
        #expect(try settings(["--for", "web"]).codec == .hevc)
        #expect(PresetFiles(directory: home).names.contains("mine"))
    }

    @Test(
        "its two passes give way to an encoder that has one",
        arguments: [
            ["--av1"], ["--hw=require"], ["--low-power=on"], ["--fail-on-fallback"], ["out.webm"],
            ["--profile=av1-main"],
        ])
    func onePass(arguments: [String]) throws {
        try write(#"{"settings": {"bitrate": 1000000, "twoPass": true}}"#, to: "hb.json")
        let request = try settings(["--for", "hb"] + arguments)
        #expect(!request.usesTwoPasses && request.bitrate == 1_000_000)
        #expect(try settings(["--for", "hb", "--hevc", "out.mp4"]).usesTwoPasses)
    }

    @Test(
        "an unknown preset is an error that lists the known ones",
        arguments: ["wbe", "../web", "", ".hidden", "broken", "unknown", "wrong"])
    func missing(name: String) throws {
        try write("{", to: "broken.json")
        try write(#"{"settings": {"qality": 1}}"#, to: "unknown.json")
        try write(#"{"settings": {"quality": 101}}"#, to: "wrong.json")
        #expect(throws: UsageError.self) { try settings(["--for", name]) }
    }

    @Test("a misspelt name gets a suggestion")
    func nearest() {
        let error = #expect(throws: UsageError.self) { try settings(["--for", "wbe"]) }
        #expect(error?.asTranscodeError.hint?.description.contains("web") == true)
    }
}
