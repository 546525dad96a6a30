import Testing
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

@testable import VTXCommand

@Suite("The commands of the service")
struct ServiceCommandTests {
    @Test("arguments become the request: numbers as numbers, paths absolute")
    func submit() throws {
        let arguments = [
            "in.mp4", "/out.mp4", "--set", "quality=70", "--set=codec=hevc", "--set", "bFrames=false", "--set",
            "audioStreams=0", "--label",
            "owner=7",
            "--priority", "-5",
        ]
        let settings = try #require(try ArgumentParser.parse(arguments, by: .submit))
        #expect(settings.body()["settings"] == ["quality": 70, "codec": "hevc", "bFrames": false, "audioStreams": "0"])
        #expect(settings.body()["labels"] == ["owner": "7"])
        #expect(settings.body()["priority"] == -5)
        #expect(settings.body()["output"] == ["path": "/out.mp4"])
        let input = try #require(settings.body()["input"]?["path"]?.string)
        #expect(input.hasPrefix("/") && input.hasSuffix("/in.mp4"))
    }

    @Test("the values of a list are collected, in the order given")
    func lists() throws {
        let arguments = ["in.mp4", "--set", "audioTrack=0:aac:channels=stereo", "--set=audioTrack=deu:copy"]
        let settings = try #require(try ArgumentParser.parse(arguments, by: .submit))
        try settings.check()
        #expect(settings.body()["settings"] == ["audioTrack": ["0:aac:channels=stereo", "deu:copy"]])
    }

    @Test(
        "a setting with one value, or a label, that is given twice is an error",
        arguments: [("--set", "quality", "30", "40"), ("--set", "codec", "hevc", "hevc"), ("--label", "a", "1", "2")])
    func twice(flag: String, name: String, one: String, other: String) throws {
        let arguments = ["in.mp4", flag, "\(name)=\(one)", flag, "\(name)=\(other)"]
        let settings = try #require(try ArgumentParser.parse(arguments, by: .submit))
        let message = "\(flag): '\(name)' is given twice, as '\(one)' and '\(other)'"
        #expect(throws: UsageError.contradiction(message, hint: "it has one value; give it once")) {
            try settings.check()
        }
    }

    @Test("a URL stays a URL, and an uploaded file is its upload")
    func places() throws {
        let arguments = [
            "https://a.example/in.mp4", "https://b.example/out.mp4?key=1", "--callback", "http://c.example",
        ]
        let settings = try #require(try ArgumentParser.parse(arguments, by: .submit))
        #expect(settings.body()["input"] == ["url": "https://a.example/in.mp4"])
        #expect(settings.body()["output"] == ["url": "https://b.example/out.mp4?key=1"])
        #expect(settings.body()["callback"] == ["url": "http://c.example"])
        #expect(settings.body(upload: "abc")["input"] == ["upload": "abc"])
    }

    @Test("the server of live playlists needs a directory, and reports its address")
    func serveHLS() throws {
        let settings = try #require(try ArgumentParser.parse(["live", "--listen", "[::1]:0"], by: .serveHLS))
        #expect(settings.directory == "live" && settings.listen.host == "::1" && settings.listen.port == 0)
        #expect(!settings.printsJSON)
        #expect(throws: UsageError.self) { try ArgumentParser.parse([], by: .serveHLS) }
        let record = ServingRecord(url: "http://[::1]:7", port: 7, directory: "/live")
        #expect(record.line == #"{"directory":"/live","port":7,"type":"serving","url":"http://[::1]:7"}"# + "\n")
    }

    @Test(
        "byte prefixes are decimal, like other options'",
        arguments: [("100G", 100_000_000_000), ("1.5M", 1_500_000), ("7", 7), ("0", nil), ("-1", nil), ("x", nil)]
            as [(String, Int64?)])
    func byteCounts(text: String, count: Int64?) {
        #expect(ValueType.byteCount.read(text) == count)
    }

    @Test("a list of jobs has the requested filters")
    func jobs() throws {
        let settings = try #require(try ArgumentParser.parse(["--state", "failed", "--label", "a=b c&d"], by: .jobs))
        #expect(settings.query.map(\.name) == ["limit", "state", "label"])
        #expect(settings.query.map(\.value) == ["50", "failed", "a=b c&d"])
    }

    @Test("an output goes to its path, and replaces nothing unless requested")
    func download() throws {
        let id = "4m5x8k2r7d9w3c6h1j0q"
        let settings = try #require(try ArgumentParser.parse([id, "out.mp4"], by: .download))
        #expect(settings.id?.text == id && settings.file == "out.mp4" && !settings.replaces)
        #expect(try ArgumentParser.parse([id, "--overwrite"], by: .download)?.replaces == true)
        #expect(throws: UsageError.self) { try ArgumentParser.parse(["out.mp4"], by: .download) }
        let submitted = try ArgumentParser.parse(["in.mp4", "--upload", "--download", "out.mp4"], by: .submit)
        #expect(submitted?.download == "out.mp4")
    }

    @Test("an invalid id is a usage error", arguments: ["", "abc", "../../v1/tokens"])
    func ids(text: String) {
        #expect(throws: UsageError.self) { try ArgumentParser.parse([text], by: .job) }
    }
}
