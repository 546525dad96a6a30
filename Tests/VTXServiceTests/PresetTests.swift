import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

@testable import VTXService

@Suite("Presets")
struct PresetTests {
    private let directory: TestDirectory
    private let service: TestService
    private let source: String

    init() throws {
        directory = try TestDirectory()
        service = try TestService(directory)
        source = try directory.write("clip", to: "media/in.mp4")
        _ = try service.ask(
            "PUT", "/v1/presets/web", ["settings": ["codec": "h264", "quality": 60], "description": "small"])
    }

    @Test("a preset can be saved, listed, changed and removed")
    func life() throws {
        let web: JSONValue = ["name": "web", "settings": ["codec": "h264", "quality": 60], "description": "small"]
        #expect(try service.ask("GET", "/v1/presets/web").body == web)
        let list = try service.ask("GET", "/v1/presets").body["presets"]?.array ?? []
        #expect(list.contains(web))
        #expect(list.compactMap { $0["name"]?.string } == ["archive", "chat", "phone", "tv", "web"])
        #expect(try service.ask("PUT", "/v1/presets/web", ["settings": ["codec": "hevc"]]).status == 200)
        #expect(try service.ask("GET", "/v1/presets/web").body["settings"] == ["codec": "hevc"])
        #expect(try service.send("DELETE", "/v1/presets/web").status == 204)
        #expect(try service.ask("GET", "/v1/presets/web").body["isBuiltIn"] == true)
        #expect(try service.ask("DELETE", "/v1/presets/web").body["code"]?.string == "preset.builtIn")
        #expect(try service.ask("GET", "/v1/presets/other").status == 404)
        #expect(try service.send("DELETE", "/v1/presets/other").status == 404)
    }

    @Test(
        "invalid settings are refused",
        arguments: [["codec": "vp9"], ["quality": 60, "bitrate": "1M"]] as [JSONValue])
    func wrong(settings: JSONValue) throws {
        #expect(try service.ask("PUT", "/v1/presets/other", ["settings": settings]).status == 400)
    }

    @Test(
        "an invalid name is not found, and cannot be used",
        arguments: [".web", "a%20b", "a%2Fb", "-x"])
    func names(name: String) throws {
        let answer = try service.ask("PUT", "/v1/presets/\(name)", ["settings": [:]])
        #expect(answer.status == 400 && answer.body["detail"]?.string?.contains("letters and digits") == true)
        #expect(try service.ask("GET", "/v1/presets/\(name)").status == 404)
    }

    @Test("a job's settings override its preset's, even conflicting ones")
    func job() throws {
        let body: JSONValue = ["input": ["path": .string(source)], "preset": "web", "settings": ["bitrate": "1M"]]
        let job = try service.ask("POST", "/v1/jobs", body).body
        #expect(job["preset"] == "web")
        #expect(job["settings"] == ["codec": "h264", "bitrate": "1M"])
    }

    @Test("the command's presets are built in, and one of the same name overrides them")
    func builtIn() throws {
        let job = { (preset: JSONValue) in
            try service.ask("POST", "/v1/jobs", ["input": ["path": .string(source)], "preset": preset]).body
        }
        #expect(try job("phone")["settings"]?["codec"] == "hevc")
        #expect(try job("web")["settings"] == ["codec": "h264", "quality": 60])
    }

    @Test("a missing preset is an error")
    func missing() throws {
        let body: JSONValue = ["input": ["path": .string(source)], "preset": "none"]
        let answer = try service.ask("POST", "/v1/jobs", body)
        #expect((answer.status, answer.body["code"]?.string) == (422, "preset.notFound"))
    }
}

@Suite("A plan without a job")
struct PlanTests {
    private let directory: TestDirectory
    private let service: TestService

    init() throws {
        directory = try TestDirectory()
        service = try TestService(directory)
        try directory.write("clip", to: "media/in.mp4")
    }

    private func plan(_ input: JSONValue) throws -> (status: Int, body: JSONValue) {
        try service.ask("POST", "/v1/plan", ["input": input, "settings": ["codec": "h264"]])
    }

    @Test("has the planned work, and leaves nothing")
    func plan() throws {
        let answer = try plan(["path": .string(directory.file("media/in.mp4"))])
        #expect(answer.status == 200)
        #expect(answer.body["output"]?.string == "in.mp4.out")
        #expect(try service.ask("GET", "/v1/jobs").body["jobs"] == [])
        #expect(Directory.names(in: directory.file("state/work")).isEmpty)
        #expect(Directory.names(in: directory.file("media")) == ["in.mp4"])
    }

    @Test("has the reason for a failure")
    func failure() throws {
        let path = directory.file("media/in.mp4")
        service.runner.failures.withLock { $0["plan " + path] = Failure(.source, "input.notMedia", "it is no clip") }
        let answer = try plan(["path": .string(path)])
        #expect((answer.status, answer.body["code"]?.string) == (422, "input.notMedia"))
        #expect(try plan(["url": "https://example.com/in.mp4"]).status == 403)
        #expect(try plan(["path": "/etc/passwd"]).body["code"]?.string == "path.outside")
    }
}
