import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

@testable import VTXService

@Suite("Requests about jobs")
struct JobRequestTests {
    private let directory: TestDirectory
    private let service: TestService
    private let source: String

    init() throws {
        directory = try TestDirectory()
        service = try TestService(directory)
        source = try directory.write("clip", to: "media/in.mp4")
    }

    /// Lets the next attempt fail.
    private func spoil() {
        service.runner.failures.withLock { $0[source] = Failure(.source, "input.unreadable", "it is no clip") }
    }

    private func failed() throws -> String {
        spoil()
        let id = try service.submit(source)
        #expect(try service.ended(id)["state"] == "failed")
        return id
    }

    @Test("the counts are those of all jobs")
    func counts() throws {
        _ = try service.ended(try service.submit(source))
        _ = try failed()
        _ = try failed()
        let answer = try service.ask("GET", "/v1/jobs/counts")
        #expect(answer.status == 200 && answer.body.object?.count == JobState.allCases.count)
        #expect(answer.body["succeeded"] == 1 && answer.body["failed"] == 2 && answer.body["running"] == 0)
        #expect(try service.ask("DELETE", "/v1/jobs/counts").status == 405)
    }

    @Test("a request that needs no body takes an empty object, and no other")
    func emptyBodies() throws {
        let id = try failed()
        spoil()
        #expect(try service.ask("POST", "/v1/jobs/\(id)/retry", [:]).status == 200)
        _ = try service.endedJobs(2)
        for command in ["pause", "resume", "download"] {
            #expect(try service.ask("POST", "/v1/jobs/\(id)/\(command)", [:]).status == 409)
            #expect(try service.ask("POST", "/v1/jobs/\(id)/\(command)").status == 409)
        }
        let wrong = try service.ask("POST", "/v1/jobs/\(id)/retry", ["priority": 3])
        #expect(wrong.status == 400 && wrong.body["code"] == "request.invalid")
        let paths = try service.ask("GET", "/openapi.json").body["paths"]
        let body = paths?["/v1/jobs/{id}/retry"]?["post"]?["requestBody"]
        #expect(body?["required"] == false)
        #expect(body?["content"]?["application/json"]?["schema"]?["additionalProperties"] == false)
        #expect(paths?["/v1/jobs"]?["post"]?["requestBody"]?["required"] == true)
    }

    @Test("a job is checked before its upload")
    func checked() throws {
        _ = try service.ask("PUT", "/v1/presets/mine", ["settings": ["codec": "h264", "quality": 60]])
        let check = { (members: [String: JSONValue]) in
            let body: [String: JSONValue] = ["input": ["upload": "later"]]
            return try service.ask("POST", "/v1/jobs/check", .object(body.merging(members) { $1 }))
        }
        let checked = try check(["preset": "mine", "settings": ["quality": 70]])
        #expect(checked.status == 200 && checked.body["settings"] == ["codec": "h264", "quality": 70])
        #expect(try check(["settings": ["quality": 200]]).status == 400)
        #expect(try check(["preset": "none"]).status == 422)
        #expect(try check(["output": ["path": "/etc/out.mp4"]]).status == 403)
        #expect(try check(["input": ["path": .string(source)]]).status == 200)
        #expect(try service.ask("GET", "/v1/jobs").body["jobs"] == [])
        // A job itself needs its upload.
        #expect(try service.ask("POST", "/v1/jobs", ["input": ["upload": "later"]]).status == 422)
    }
}
