import Glibc
import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

@testable import VTXService

@Suite("A job that replaces its source")
struct ReplacementTests {
    private let directory: TestDirectory
    private let source: String

    init() throws {
        directory = try TestDirectory()
        _ = directory.makeDirectory("media")
        source = try directory.write("clip", to: "media/in.mp4")
    }

    private func start(allows: Bool = true) throws -> TestService {
        try TestService(directory) { $0.mayReplaceSources = allows }
    }

    private func replace(_ service: TestService, _ path: String? = nil) throws -> JSONValue {
        let job = try service.ended(try service.submit(path ?? source, settings: ["replace": true]))
        // What a failed job leaves is removed once its state is stored.
        for _ in 0..<1000 where names.contains(where: { $0.hasPrefix(".") }) { usleep(10_000) }
        return job
    }

    private var names: [String] { Directory.names(in: directory.file("media")).sorted() }

    @Test("leaves the output under the source's name, with its permissions and times, and says so")
    func replaced() throws {
        let time = [timespec(tv_sec: 1_000_000_000, tv_nsec: 5), timespec(tv_sec: 1_100_000_000, tv_nsec: 7)]
        #expect(chmod(source, 0o640) == 0 && utimensat(AT_FDCWD, source, time, 0) == 0)
        let service = try start()
        let job = try replace(service)
        #expect(job["state"] == "succeeded")
        #expect(job["result"]?["replacedSource"]?.string == source)
        #expect(job["result"]?["sourceBytes"] == 4 && job["result"]?["outputBytes"] == 10)
        #expect(directory.text("media/in.mp4") == "done: clip" && names == ["in.mp4"])
        let status = try #require(FileStatus(source))
        #expect(status.permissions == 0o640 && status.modificationTime == 1_100_000_000_000_000_007)
        let id = job["id"]?.string ?? ""
        let receipt = try service.ask("GET", "/v1/jobs/\(id)/receipt").body
        #expect(receipt["replacedSource"]?.string == source)
        #expect(try service.ask("GET", "/v1/jobs/\(id)/output").body == "done: clip")
    }

    @Test("removes the source if the output has another name")
    func otherName() throws {
        let service = try start()
        service.runner.outputName.withLock { $0 = "in.mkv" }
        #expect(try replace(service)["result"]?["output"]?.string == directory.file("media/in.mkv"))
        #expect(names == ["in.mkv"])
    }

    @Test("needs the permission of the server")
    func permission() throws {
        let body: JSONValue = ["input": ["path": .string(source)], "settings": ["replace": true]]
        let service = try start(allows: false)
        let answer = try service.ask("POST", "/v1/jobs", body)
        #expect(answer.status == 403 && answer.body["code"] == "replace.notAllowed")
        #expect(answer.body["hint"]?.string?.contains("allow-replace") == true)
        #expect(answer.body["errors"]?.array?.first?["pointer"] == "/settings/replace")
        #expect(try service.ask("POST", "/v1/plan", body).status == 403)
        #expect(try watch(service) == 403)
    }

    @Test("comes of a watch folder only while the server has its permission")
    func permissionOfFolder() throws {
        do { #expect(try watch(try start(), ["include": ["later.mp4"]]) == 200) }
        try directory.write("later", to: "media/later.mp4")
        do {
            let service = try start(allows: false)
            var folder = JSONValue.null
            while folder["state"] != "failing" {
                folder = try service.ask("GET", "/v1/watch-folders/all").body
                usleep(10_000)
            }
            #expect(folder["problem"] == "this service may not replace sources")
        }
        #expect(try start().endedJobs(1).first?["state"] == "succeeded")
        #expect(directory.text("media/later.mp4") == "done: later")
    }

    @Test(
        "has a path for its source, and no output",
        arguments: [
            (#"{"input":{"upload":"x"},"settings":{"replace":true}}"#, "replace.source", "/input"),
            (#"{"input":{"url":"https://a.b/c.mp4"},"settings":{"replace":true}}"#, "replace.source", "/input"),
            (
                #"{"input":{"path":"/x"},"output":{"path":"/y"},"settings":{"replace":true}}"#, "replace.output",
                "/output"
            ),
        ])
    func places(body: String, code: String, pointer: String) throws {
        let answer = try start().ask("POST", "/v1/jobs", try JSONValue(parsing: body))
        #expect(answer.status == 422 && answer.body["code"]?.string == code)
        #expect(answer.body["errors"]?.array?.first?["pointer"]?.string == pointer)
    }

    @Test("has the settings that can be combined, as the command has")
    func combinations() throws {
        let service = try start()
        for more: (name: String, value: JSONValue) in [
            ("overwrite", "skip"), ("verify", "sample"), ("start", 1), ("format", "mkv"), ("hls", true),
            ("copyVideo", true),
        ] {
            let body: JSONValue = [
                "input": ["path": .string(source)], "settings": .object(["replace": true, more.name: more.value]),
            ]
            #expect(try service.ask("POST", "/v1/jobs", body).status == 400, "\(more.name)")
        }
    }

    @Test("keeps a source that changes during the work, and replaces it when it is asked again")
    func changed() throws {
        let service = try start()
        service.runner.afterwards.withLock { [directory] in
            $0 = { [weak service] in
                service?.runner.afterwards.withLock { $0 = nil }
                _ = try? directory.write("longer clip", to: "media/in.mp4")
            }
        }
        let job = try replace(service)
        #expect(job["error"]?["code"] == "input.changed")
        #expect(directory.text("media/in.mp4") == "longer clip" && names == ["in.mp4"])
        let id = job["id"]?.string ?? ""
        let receipt = try service.ask("GET", "/v1/jobs/\(id)/receipt")
        #expect(receipt.status == 200 && receipt.body["replacedSource"] == nil)
        #expect(try service.ask("POST", "/v1/jobs/\(id)/retry").status == 200)
        while try service.ask("GET", "/v1/jobs/\(id)").body["state"] != "succeeded" { usleep(10_000) }
        #expect(directory.text("media/in.mp4") == "done: longer clip")
    }

    @Test("keeps a source that is damaged, has another name, or has a name that the output needs")
    func kept() throws {
        let service = try start()
        service.runner.outcome.withLock { $0 = .incompleteSource }
        #expect(try replace(service)["error"]?["code"] == "output.notReplaced")
        service.runner.outcome.withLock { $0 = .completed }
        try #require(link(source, directory.file("media/other.mp4")) == 0)
        #expect(try replace(service)["error"]?["code"] == "output.notReplaced")
        service.runner.outputName.withLock { $0 = "in.mkv" }
        unlink(directory.file("media/other.mp4"))
        try directory.write("other", to: "media/in.mkv")
        #expect(try replace(service)["error"]?["code"] == "output.exists")
        #expect(directory.text("media/in.mp4") == "clip" && directory.text("media/in.mkv") == "other")
        #expect(names == ["in.mkv", "in.mp4"])
    }

    @Test("follows a symbolic link, unless it would dangle")
    func symbolicLink() throws {
        let service = try start()
        let link = directory.file("media/link.mp4")
        try #require(symlink("in.mp4", link) == 0)
        #expect(try replace(service, link)["state"] == "succeeded")
        #expect(directory.text("media/in.mp4") == "done: clip" && names == ["in.mp4", "link.mp4"])
        service.runner.outputName.withLock { $0 = "in.mkv" }
        let job = try replace(service, link)
        #expect(job["error"]?["code"] == "output.notReplaced")
        #expect(job["error"]?["message"]?.string?.contains("/proc/") == false)
        #expect(names == ["in.mp4", "link.mp4"])
    }

    // MARK: Watch folders

    private func watch(_ service: TestService, _ members: [String: JSONValue] = [:]) throws -> Int {
        let folder: [String: JSONValue] = [
            "path": .string(directory.file("media")), "settleSeconds": 0, "skip": ["codecs": []],
            "settings": ["replace": true],
        ]
        return try service.ask("PUT", "/v1/watch-folders/all", .object(folder.merging(members) { $1 })).status
    }

    @Test("comes once of each file of a watch folder, also after a restart", arguments: ["in.mp4", "in.mkv"])
    func watched(name: String) throws {
        do {
            let service = try start()
            service.runner.outputName.withLock { $0 = name }
            #expect(try watch(service) == 200)
            #expect(try service.endedJobs(1).first?["state"] == "succeeded")
            // Longer than a file that was moved here has to settle.
            sleep(2)
            #expect(try service.endedJobs(1).count == 1)
        }
        let service = try start()
        sleep(2)
        try directory.write("two", to: "media/other.mp4")
        #expect(try service.endedJobs(2).count == 2)
        #expect(directory.text("media/\(name)") == "done: clip" && names == [name, "other.mp4"])
    }

    @Test("is skipped in a watch folder if it gains too little, or another file has the name")
    func skipped() throws {
        let service = try start()
        service.runner.outputName.withLock { $0 = "in.mkv" }
        try directory.write("other", to: "media/in.mkv")
        #expect(try watch(service, ["include": ["in.mp4"], "skip": ["codecs": [], "minimumGain": 0.1]]) == 200)
        let reason = "'\(directory.file("media/in.mkv"))' exists"
        #expect(try service.endedJobs(1).first?["reason"]?.string == reason)
        service.runner.outputName.withLock { $0 = nil }
        try directory.write("second clip", to: "media/in.mp4")
        #expect(try service.endedJobs(2).first?["state"] == "skipped")
        #expect(directory.text("media/in.mp4") == "second clip" && names == ["in.mkv", "in.mp4"])
    }

    @Test("has no output directory in a watch folder")
    func noOutput() throws {
        #expect(try watch(try start(), ["output": .string(directory.makeDirectory("media/out"))]) == 422)
    }
}
