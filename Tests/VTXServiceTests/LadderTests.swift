import Glibc
import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("Ladders")
struct LadderTests {
    private let directory: TestDirectory
    private let service: TestService
    private let source: String

    init() throws {
        directory = try TestDirectory()
        service = try TestService(directory)
        source = try directory.write("clip", to: "media/in.mp4")
    }

    private var output: String { directory.file("media/out") }

    private func submit(_ policy: String = "refuse") throws -> JSONValue {
        try service.ended(try service.submit(source, output, settings: ["hls": true, "overwrite": .string(policy)]))
    }

    private func names(_ path: String) -> [String] { Directory.names(in: directory.file(path)).sorted() }

    private func id(_ job: JSONValue) -> String { job["id"]?.string ?? "" }

    @Test("a ladder is a directory, and the job lists its files, the playlist first")
    func listed() throws {
        let result = try submit()["result"]
        #expect(result?["output"]?.string == output)
        let files = result?["files"]?.array ?? []
        #expect(
            files.compactMap { $0["name"]?.string }
                == ["master.m3u8", "1080p.m3u8", "1080p.mp4", "audio-1.mp4", "thumbnails.vtt"])
        #expect(result?["outputBytes"]?.integer == files.reduce(0) { $0 + ($1["bytes"]?.integer ?? 0) })
        #expect(names("media") == ["in.mp4", "out"] && names("media/out") == TestRunner.ladder)
        // From the largest rendition, not from a playlist.
        #expect(service.runner.places.withLock(\.self).keys.sorted() == ["1080p.mp4", "in.mp4"])
    }

    @Test("players can read its files, in ranges and by relative URLs")
    func played() throws {
        let place = "/v1/jobs/\(id(try submit()))/output"
        let whole = try service.send("GET", place)
        #expect(whole.status == 307 && whole.headers["location"] == "output/master.m3u8")
        for (name, type) in [
            ("master.m3u8", "application/vnd.apple.mpegurl"), ("1080p.mp4", "video/mp4"),
            ("thumbnails.vtt", "text/vtt"),
        ] {
            let response = try service.send("GET", "\(place)/\(name)")
            #expect(response.status == 200 && response.headers["content-type"] == type)
            #expect(String(decoding: response.body, as: UTF8.self) == "\(name) done: clip")
        }
        let part = try service.send("GET", "\(place)/1080p.mp4", [], [("Range", "bytes=0-4")])
        #expect(part.status == 206 && part.body == Array("1080p".utf8))
    }

    @Test("players may add a query, and can revalidate cached files")
    func cached() throws {
        let place = "/v1/jobs/\(id(try submit()))/output"
        #expect(try service.send("GET", "\(place)?_HLS_msn=1").status == 307)
        let playlist = try service.send("GET", "\(place)/master.m3u8?_HLS_msn=1&_HLS_part=0&t=5")
        #expect(playlist.status == 200 && playlist.headers["cache-control"] == "private, no-cache")
        let media = try service.send("GET", "\(place)/1080p.mp4?1")
        #expect(media.status == 200 && media.headers["cache-control"] == "private, max-age=86400")
        let tag = try #require(media.headers["etag"])
        let again = try service.send("GET", "\(place)/1080p.mp4", [], [("If-None-Match", "\"other\", W/\(tag)")])
        #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
        for (known, status) in [(tag, 206), ("\"other\"", 200)] {
            let headers = [(name: "Range", value: "bytes=0-4"), (name: "If-Range", value: known)]
            #expect(try service.send("GET", "\(place)/1080p.mp4", [], headers).status == status)
        }
    }

    @Test("a player without a token gets a URL valid for a day, also for the other files")
    func ticketed() throws {
        let made = try service.ask("POST", "/v1/jobs/\(id(try submit()))/download").body
        let path = try #require(made["path"]?.string)
        #expect(path.hasSuffix("/master.m3u8"))
        #expect(made["expiresAt"]?.string.flatMap(Timestamp.init).map { $0 - .now > 86000 } == true)
        let playlist = try service.send("GET", path)
        #expect(playlist.status == 200 && playlist.headers["access-control-allow-origin"] == "*")
        let place = String(path.dropLast("/master.m3u8".count))
        #expect(try service.send("GET", "\(place)/1080p.mp4").status == 200)
        let name = place.split(separator: "/").last ?? ""
        #expect(try service.send("GET", place).headers["location"] == "\(name)/master.m3u8")
        #expect(try service.send("GET", "\(place)0/1080p.mp4").status == 404)
        #expect(try service.send("GET", "\(place)/../1080p.mp4").status == 404)
    }

    @Test(
        "only its files are served",
        arguments: [
            "..", "../in.mp4", "..%2Fin.mp4", "%2e%2e%2Fin.mp4", "%2E%2E", ".", "%2Fetc%2Fpasswd", "other.mp4",
            "1080p.mp4%2F..%2Fother.mp4", "1080p.mp4/", "1080p.mp4%00", "",
        ])
    func escapes(name: String) throws {
        let job = id(try submit())
        try directory.write("a stranger's", to: "media/out/other.mp4")
        let response = try service.send("GET", "/v1/jobs/\(job)/output/\(name)")
        #expect([400, 404].contains(response.status))
    }

    @Test("a file or directory replaced by a link is not served")
    func links() throws {
        let place = "/v1/jobs/\(id(try submit()))/output/1080p.mp4"
        _ = directory.makeDirectory("outside")
        let secret = try directory.write("secret", to: "outside/1080p.mp4")
        unlink("\(output)/1080p.mp4")
        symlink(secret, "\(output)/1080p.mp4")
        #expect(try service.send("GET", place).status == 404)
        unlink("\(output)/1080p.mp4")
        mkfifo("\(output)/1080p.mp4", 0o600)
        #expect(try service.send("GET", place).status == 404, "a pipe is not waited for")
        rename(output, output + ".moved")
        symlink(directory.file("outside"), output)
        #expect(try service.send("GET", place).status == 404)
    }

    @Test(
        "a ladder replaces only another ladder or an empty directory", arguments: ["refuse", "skip", "replace"])
    func overwriting(policy: String) throws {
        _ = directory.makeDirectory("media/out")
        #expect(try submit(policy)["state"] == "succeeded", "an empty directory is as good as none")
        try directory.write("another clip", to: "media/in.mp4")
        let state = try submit(policy)["state"]?.string
        #expect(state == ["refuse": "failed", "skip": "skipped", "replace": "succeeded"][policy])
        let shown = directory.text("media/out/1080p.mp4")
        #expect(shown == "1080p.mp4 done: " + (policy == "replace" ? "another clip" : "clip"))
        try directory.write("a diary", to: "media/out/diary.txt")
        let refused = try submit(policy)
        #expect(refused["state"]?.string == (policy == "skip" ? "skipped" : "failed"))
        #expect(directory.text("media/out/diary.txt") == "a diary" && names("media") == ["in.mp4", "out"])
    }

    @Test("a file or directory created meanwhile at its path is kept")
    func meanwhile() throws {
        let output = output
        service.runner.afterwards.withLock {
            $0 = {
                mkdir(output, 0o700)
                try? AtomicFile.write("a diary", to: "\(output)/diary.txt", replaces: false)
            }
        }
        #expect(try submit("replace")["error"]?["code"] == "output.exists")
        #expect(names("media/out") == ["diary.txt"] && directory.text("media/out/diary.txt") == "a diary")
    }

    @Test("the source's own directory is never replaced")
    func ownDirectory() throws {
        _ = directory.makeDirectory("media/out")
        for name in ["1080p.mp4", "master.m3u8"] { try directory.write("clip", to: "media/out/\(name)") }
        let settings: JSONValue = ["hls": true, "overwrite": "replace"]
        let job = try service.ended(try service.submit("\(output)/1080p.mp4", output, settings: settings))
        #expect(job["error"]?["code"] == "output.isInput")
        #expect(job["error"]?["message"]?.string?.hasPrefix("the input is in the output directory") == true)
        #expect(directory.text("media/out/1080p.mp4") == "clip")
    }

    @Test("without an output path it is kept for download for an upload, else next to the source")
    func defaults() throws {
        let id = try service.submit(source, settings: ["hls": true])
        #expect(try service.ended(id)["result"]?["output"]?.string == source + ".out")
        let upload = try service.send("POST", "/v1/uploads?name=mine.mp4", Array("clip".utf8))
        let key = try JSONValue(parsing: upload.body)["id"] ?? .null
        let made = try service.ask(
            "POST", "/v1/jobs", ["input": ["upload": key], "settings": ["hls": true]])
        let job = try service.ended(self.id(made.body))
        #expect(try service.send("GET", "/v1/jobs/\(self.id(job))/output/1080p.mp4").status == 200)
    }

    @Test("it cannot be uploaded to a URL")
    func url() throws {
        let answer = try service.ask(
            "POST", "/v1/jobs",
            [
                "input": ["path": .string(source)], "settings": ["ladder": "auto"],
                "output": ["url": "https://example.com/out"],
            ])
        #expect(answer.status == 422 && answer.body["code"] == "output.directory")
    }
}
