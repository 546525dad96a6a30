import Testing
import VTXMedia
import VTXSystem
import VTXTask

@testable import VTXCommand

@Suite("vtx transcode's options")
struct TranscodeOptionsTests {
    private func request(_ arguments: String...) throws -> TranscodeRequest {
        try settings(["in.mkv"] + arguments).request
    }

    private func settings(_ arguments: [String]) throws -> TranscodeSettings {
        try #require(try ArgumentParser.parse(arguments, by: .transcode)).checked()
    }

    @Test("without options the request has the defaults")
    func defaults() throws {
        let request = try request()
        #expect(request.input == "in.mkv")
        #expect(request.output == nil)
        #expect(request.codec == nil && request.rateControl == nil && request.size == nil)
        #expect(request.dynamicRange == .keep)
        #expect(request.overwrite == .refuse)
        #expect(request.selection == StreamSelection())
    }

    @Test("codec and rate options reach the request")
    func coding() throws {
        let request = try request(
            "out.mp4", "--hevc", "--bitrate", "5M", "--max-bitrate=7.5M", "--preset", "fast", "--profile",
            "main10",
            "--gop", "120,5s", "--no-b-frames")
        #expect(request.output == "out.mp4")
        #expect(request.codec == .hevc)
        #expect(request.rateControl == .bitrate(average: 5_000_000, max: 7_500_000))
        #expect(request.preset == .fast)
        #expect(request.profile == .main10)
        #expect(request.keyFrameInterval == KeyFrameInterval(frames: 120, seconds: 5))
        #expect(!request.allowsBFrames)
    }

    @Test("picture and hardware options reach the request")
    func picture() throws {
        let request = try request(
            "--size", "1279x719", "--scaling", "trim", "--fps", "29.97", "--deinterlace", "on", "--hdr", "sdr",
            "--bake-rotation",
            "--hw", "require", "--device", "/dev/dri/renderD129")
        #expect(request.size == SizeRequest(1279, 719))
        #expect(request.scaling == .trim)
        #expect(request.dynamicRange == .sdr)
        #expect(request.frameRate == Rational(30000, 1001))
        #expect(request.deinterlace == .on)
        #expect(request.rotatesPixels)
        #expect(request.hardware == .require)
        #expect(request.device == .path("/dev/dri/renderD129"))
    }

    @Test("--clock is a hidden alias of --timestamps")
    func alias() throws {
        #expect(try request("--clock", "source").timestamps == .source)
        #expect(!Grammar<TranscodeSettings>.transcode.sections.flatMap(\.options).contains { $0.long == "clock" })
    }

    @Test("stream and time options reach the request")
    func streams() throws {
        let request = try request(
            "--audio", "eac3", "--audio-bitrate", "192k", "--video", "1", "--audio-streams", "0,eng",
            "--subtitle-streams", "none", "--no-chapters", "--no-metadata", "--start", "1:30", "--duration",
            "12.5", "--timestamps", "zero")
        #expect(request.audio == .encode(.eac3))
        #expect(request.audioBitrate == 192_000)
        #expect(request.selection.video == 1)
        #expect(request.selection.audio == .only([.position(0), .language("eng")]))
        #expect(request.selection.subtitles == StreamFilter.none)
        #expect(!request.selection.keepsChapters && !request.selection.keepsMetadata)
        #expect(request.start == 90)
        #expect(request.duration == 12.5)
        #expect(request.timestamps == .zero)
    }

    @Test("output options reach the settings")
    func output() throws {
        #expect(try request("-y").overwrite == .replace)
        #expect(try request("-n").overwrite == .skip)
        #expect(try request("--no-downgrade").forbidsDowngrades)
        #expect(try request("--fail-on-fallback").forbidsFallbacks)
        let settings = try settings(["in.mkv", "--explain", "--json", "-q", "--progress", "none"])
        #expect(settings.explains && settings.printsJSON && settings.isQuiet)
        #expect(settings.progress == .none)
    }

    @Test("sizes are both sides, one of them, or a limit")
    func sizes() throws {
        #expect(try request("--size", "1280x").size == SizeRequest(width: 1280, height: nil))
        #expect(try request("--size", "x720").size == SizeRequest(width: nil, height: 720))
        let limit = try request("--max-size", "1280x720").size
        #expect(limit == SizeRequest(width: 1280, height: 720, isLimit: true))
        for wrong in ["1280", "x", "1x1", "20000x", "1280x0"] {
            #expect(throws: UsageError.self) { try request("--size", wrong) }
        }
        #expect(throws: UsageError.self) { try request("--size", "1280x", "--max-size", "1280x") }
    }

    @Test("quality becomes constant quality, with a limit if set; only a limit keeps the default quality")
    func quality() throws {
        #expect(try request("--quality", "72.5").rateControl == Quality(72.5).map { .quality($0) })
        let limited = try request("--quality", "72.5", "--max-bitrate", "5M")
        #expect(limited.rateControl == Quality(72.5).map { .quality($0, max: 5_000_000) })
        #expect(try request("--max-bitrate", "5M").rateControl == Quality(70).map { .quality($0, max: 5_000_000) })
    }

    @Test(
        "options that exclude each other are refused",
        arguments: [
            ["--hevc", "--h264"], ["--quality", "70", "--bitrate", "5M"], ["-y", "-n"], ["-q", "-v"],
            ["--bitrate", "5M", "--max-bitrate", "4M"], ["--json", "--progress", "ffmpeg"],
            ["--hw", "off", "--fail-on-fallback"], ["--hw", "off", "--low-power", "on"],
        ])
    func contradictions(arguments: [String]) {
        #expect(throws: UsageError.self) { try settings(["in.mkv"] + arguments) }
    }

    @Test("a profile belongs to the requested codec; only a name shared by both needs one")
    func profiles() throws {
        #expect(try request("--h264", "--profile", "main").profile == .h264Main)
        #expect(try request("--hevc", "--profile", "main").profile == .hevcMain)
        #expect(try request("--profile", "high").profile == .high)
        #expect(throws: UsageError.self) { try request("--profile", "main") }
    }

    @Test("a profile of the other codec is refused with the codec's profiles")
    func foreignProfile() throws {
        let error = try #require(throws: UsageError.self) { try request("--h264", "--profile", "main10") }
        let message = error.asTranscodeError.message
        #expect(message.contains("'main10'") && message.contains("baseline, main, high"))
    }

    @Test("every value error has the option, the value and the allowed values")
    func badValues() throws {
        // Any text can be a path.
        for option in Grammar.transcode.options where ![nil, "DIR", "FILE"].contains(option.description.value?.name) {
            let flag = option.description.flag
            let error = try #require(throws: UsageError.self) { try request("\(flag)=\u{1}?") }
            let failure = error.asTranscodeError
            #expect(failure.exitCode == .usage && failure.code == "usage.badValue")
            #expect(failure.message.hasPrefix("\(flag): '\u{1}?' is not allowed; expected "))
        }
    }
}
