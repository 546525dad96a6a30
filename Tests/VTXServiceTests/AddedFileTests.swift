import Glibc
import Testing
import VTXHTTP
import VTXJSON
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("Files that a job adds to its source")
struct AddedFileTests {
    private let directory: TestDirectory
    private let source: String

    init() throws {
        directory = try TestDirectory()
        _ = directory.makeDirectory("media")
        source = try directory.write("clip", to: "media/in.mp4")
    }

    private func answer(_ settings: JSONValue) throws -> (status: Int, body: JSONValue) {
        let service = try TestService(directory)
        let body: JSONValue = [
            "input": ["path": .string(source)], "output": ["path": .string(directory.file("media/out.mkv"))],
            "settings": settings,
        ]
        let answer = try service.ask("POST", "/v1/jobs", body)
        return (answer.status, answer.body)
    }

    @Test("below a root they are allowed, with their properties", arguments: ["addSubtitles", "addAudio"])
    func allowed(setting: String) throws {
        let file = try directory.write("text", to: "media/in.de.srt")
        let service = try TestService(directory)
        let settings: JSONValue = [
            setting: [.string("\(file):title=Text"), .string(file)], "burnSubtitles": .string(file),
        ]
        let id = try service.submit(source, directory.file("media/out.mkv"), settings: settings)
        #expect(try service.ended(id)["state"] == "succeeded")
        #expect(service.runner.settings.withLock(\.self) == [settings.object])
    }

    private func files() throws -> JobFiles {
        let store = try SQLiteStore(path: directory.file("store.db"))
        return JobFiles(
            try Roots([directory.file("media")]), Uploads(directory.path, store, limit: 1),
            state: directory.file("state"))
    }

    private func refusal(_ settings: [String: JSONValue]) throws -> String? {
        let files = try files()
        do throws(Problem) { _ = try files.resolvingFiles(in: settings) } catch { return error.code }
        return nil
    }

    @Test("a link to a file whose name ends like properties is refused, because a worker would read another path")
    func properties() throws {
        _ = try directory.write("text", to: "media/x")
        _ = try directory.write("other text", to: "media/x:title=y")
        let link = directory.file("media/link.srt")
        try #require(symlink("x:title=y", link) == 0)
        #expect(try refusal(["addSubtitles": [.string("\(link):forced")]]) == "path.name")
        #expect(try refusal(["burnSubtitles": .string(link)]) == nil)
    }

    @Test("the pictures beside an index must be below a root too")
    func pictures() throws {
        let outside = try directory.write("secret", to: "outside.sub")
        let index = try directory.write("index", to: "media/in.idx")
        #expect(try refusal(["addSubtitles": [.string(index)]]) == nil)
        try #require(symlink(outside, directory.file("media/in.sub")) == 0)
        for setting in ["addSubtitles", "burnSubtitles"] {
            let value: JSONValue = setting == "burnSubtitles" ? .string(index) : [.string(index)]
            #expect(try refusal([setting: value]) == "path.outside")
        }
    }

    @Test("a link is resolved, and its properties stay")
    func resolved() throws {
        let file = try directory.write("text", to: "media/real.srt")
        let link = directory.file("media/link.srt")
        try #require(symlink("real.srt", link) == 0)
        let settings = try files().resolvingFiles(in: [
            "addSubtitles": [.string("\(link):language=deu:forced")], "burnSubtitles": .string(link), "codec": "hevc",
        ])
        let expected: [String: JSONValue] = [
            "addSubtitles": [.string("\(file):language=deu:forced")], "burnSubtitles": .string(file), "codec": "hevc",
        ]
        #expect(settings == expected)
    }

    @Test(
        "anywhere else they are refused, with the setting's name",
        arguments: ["addSubtitles", "addAudio", "burnSubtitles"])
    func refused(setting: String) throws {
        let outside = try directory.write("secret", to: "outside.srt")
        let escape = directory.file("media/escape.srt")
        try #require(symlink(outside, escape) == 0)
        let wrong = [
            (outside, "path.outside"), (escape, "path.outside"), ("sub/in.srt", "path.relative"),
            (directory.file("media/none.srt"), "path.notFound"),
            (directory.file("media/../outside.srt"), "path.outside"),
        ]
        for (path, code) in wrong {
            let value: JSONValue = setting == "burnSubtitles" ? .string(path) : [.string(path)]
            let (status, body) = try answer([setting: value])
            #expect((400...422).contains(status) && body["code"]?.string == code)
            #expect(body["errors"]?.array?.first?["pointer"]?.string == "/settings/\(setting)")
        }
    }
}
