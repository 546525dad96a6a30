import Glibc
import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("The service")
struct ServiceTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    @Test("a submitted job gets its output, and reports its progress")
    func success() throws {
        let service = try TestService(directory)
        let source = try directory.write("clip", to: "media/in.mp4")
        let job = try service.ended(try service.submit(source, directory.file("media/out.mp4")))
        #expect(job["state"]?.string == "succeeded")
        #expect(job["result"]?["output"]?.string == directory.file("media/out.mp4"))
        #expect(directory.text("media/out.mp4") == "done: clip")
        #expect(Directory.names(in: directory.file("media")).sorted() == ["in.mp4", "out.mp4"])
    }

    @Test("an output can be downloaded without a token, with a URL valid for minutes")
    func tickets() throws {
        let service = try TestService(directory)
        let source = try directory.write("clip", to: "media/in.mp4")
        let id = try service.submit(source, directory.file("media/out.mp4"))
        _ = try service.ended(id)
        let made = try service.ask("POST", "/v1/jobs/\(id)/download")
        let path = made.body["path"]?.string ?? ""
        let fetched = try service.send("GET", path)
        #expect(made.status == 201 && String(decoding: fetched.body, as: UTF8.self) == "done: clip")
        #expect(try service.send("GET", path + "0").status == 404)
        #expect(try service.send("GET", path.replacing(id, with: "00000000000000000000")).status == 404)
        let records = try SQLiteStore(path: directory.file("one.db"))
        let tickets = DownloadTickets(records)
        let job = try #require(JobID(id))
        let ticket = tickets.make(for: job, lasting: 600, at: Timestamp(seconds: 0)).ticket
        #expect(tickets.job(ticket, at: Timestamp(seconds: 599)) == job)
        #expect(tickets.job(ticket, at: Timestamp(seconds: 600)) == nil)
        #expect(DownloadTickets(records).job(ticket, at: Timestamp(seconds: 599)) == job, "the next server's")
        let other = DownloadTickets(try SQLiteStore(path: directory.file("other.db")))
        #expect(other.job(ticket, at: Timestamp(seconds: 1)) == nil)
    }

    @Test("a receipt names the output, not the worker's hidden file")
    func receipt() throws {
        let service = try TestService(directory)
        service.runner.receipt.withLock { $0 = ["output": "OUTPUT", "notices": [["message": "'OUTPUT' is mute"]]] }
        let source = try directory.write("clip", to: "media/in.mp4")
        let id = try service.submit(source, directory.file("media/out.mp4"))
        _ = try service.ended(id)
        let receipt = try service.ask("GET", "/v1/jobs/\(id)/receipt").body
        #expect(receipt["output"]?.string == directory.file("media/out.mp4"))
        #expect(receipt["notices"] == [["message": .string("'\(directory.file("media/out.mp4"))' is mute")]])
    }

    @Test("an error names the output, not the worker's hidden file")
    func failedOutput() throws {
        let service = try TestService(directory)
        let source = try directory.write("clip", to: "media/in.mp4")
        let failure = Failure(.rule, "output.tooLarge", "'OUTPUT' is too large", hint: "OUTPUT")
        service.runner.failures.withLock { $0[source] = failure }
        let error = try service.ended(try service.submit(source, directory.file("media/out.mp4")))["error"]
        #expect(error?["message"]?.string == "'\(directory.file("media/out.mp4"))' is too large")
        #expect(error?["hint"]?.string == directory.file("media/out.mp4"))
    }

    @Test("a job's result says whether its source was complete", arguments: JobResult.Outcome.allCases)
    func incomplete(outcome: JobResult.Outcome) throws {
        let service = try TestService(directory)
        service.runner.outcome.withLock { $0 = outcome }
        let source = try directory.write("clip", to: "media/in.mp4")
        let job = try service.ended(try service.submit(source, directory.file("media/out.mp4")))
        #expect(job["result"]?["outcome"]?.string == outcome.rawValue)
    }

    @Test("a plan reports an existing output")
    func taken() throws {
        let service = try TestService(directory)
        let source = try directory.write("clip", to: "media/in.mp4")
        try directory.write("old", to: "media/out.mp4")
        let plan = { (settings: JSONValue) in
            try service.ask(
                "POST", "/v1/plan",
                [
                    "input": ["path": .string(source)], "output": ["path": .string(directory.file("media/out.mp4"))],
                    "settings": settings,
                ]
            ).body["notices"]?.array?.compactMap { $0["code"]?.string } ?? []
        }
        #expect(try plan([:]) == ["output.exists"])
        #expect(try plan(["overwrite": "replace"]) == [])
    }

    @Test("settings only for the command are not offered")
    func offered() throws {
        let service = try TestService(directory)
        let described = try service.ask("GET", "/openapi.json").body
        let names = described["components"]?["schemas"]?["Settings"]?["properties"]?.object ?? [:]
        #expect(names["codec"] != nil)
        for name in ["filter", "skipCodecs"] { #expect(names[name] == nil) }
        for name in ["addAudio", "addSubtitles", "replace"] { #expect(names[name] != nil) }
    }

    @Test(
        "an existing output is refused, skipped or replaced, as requested", arguments: ["refuse", "skip", "replace"])
    func overwriting(policy: String) throws {
        let service = try TestService(directory)
        let source = try directory.write("clip", to: "media/in.mp4")
        try directory.write("old", to: "media/out.mp4")
        let id = try service.submit(source, directory.file("media/out.mp4"), settings: ["overwrite": .string(policy)])
        let job = try service.ended(id)
        #expect(job["state"]?.string == ["refuse": "failed", "skip": "skipped", "replace": "succeeded"][policy])
        #expect(directory.text("media/out.mp4") == (policy == "replace" ? "done: clip" : "old"))
    }

    @Test("another worker replaces one that dies")
    func retry() throws {
        let service = try TestService(directory)
        let source = try directory.write("clip", to: "media/in.mp4")
        service.runner.failures.withLock { $0[source] = Failure(.busy, "output.busy", "busy") }
        let job = try service.ended(try service.submit(source, directory.file("media/out.mp4")))
        #expect(job["state"]?.string == "succeeded")
        #expect(job["attempts"]?.array?.compactMap { $0["outcome"]?.string } == ["failed", "succeeded"])
    }

    @Test("the same key with the same request is the same job, with another an error")
    func idempotency() throws {
        let service = try TestService(directory)
        let source = try directory.write("clip", to: "media/in.mp4")
        let body: JSONValue = ["input": ["path": .string(source)], "output": ["path": .string(source + ".mkv")]]
        let first = try service.ask("POST", "/v1/jobs", body, [("Idempotency-Key", "one")])
        _ = try service.ended(try #require(first.body["id"]?.string))
        // Even without its source.
        try #require(unlink(source) == 0)
        let second = try service.ask("POST", "/v1/jobs", body, [("Idempotency-Key", "one")])
        #expect((first.status, second.status) == (201, 200))
        #expect(first.body["id"] == second.body["id"])
        let other: JSONValue = ["input": ["path": .string(source)], "priority": 3]
        #expect(try service.ask("POST", "/v1/jobs", other, [("Idempotency-Key", "one")]).status == 422)
    }

    @Test(
        "the error for an invalid request names the field",
        arguments: [
            (#"{"input":{"path":"/etc/passwd"}}"#, 403, "path.outside"), (#"{}"#, 400, "request.invalid"),
            (#"{"input":{"path":"/x"},"setings":{}}"#, 400, "request.invalid"),
            (#"{"input":{"path":"/x"},"settings":{"codec":"vp9"}}"#, 400, "request.invalid"),
            (#"{"input":{"path":"/x"},"settings":{"replace":true}}"#, 403, "replace.notAllowed"),
            (#"{"input":{"path":"/x"},"settings":{"replace":true,"overwrite":"skip"}}"#, 400, "request.invalid"),
            (#"{"input":{"path":"/x"},"settings":{"filter":"null"}}"#, 400, "request.invalid"),
            (#"{"input":{"path":"/x"},"settings":{"skipCodecs":"hevc"}}"#, 400, "request.invalid"),
            (#"{"input":{"path":"relative"}}"#, 400, "path.relative"),
        ])
    func wrongRequests(body: String, status: Int, code: String) throws {
        let service = try TestService(directory)
        let answer = try service.ask("POST", "/v1/jobs", try JSONValue(parsing: body))
        #expect(answer.status == status)
        #expect(answer.body["code"]?.string == code)
    }

    @Test(
        "a directory as the output of a job that writes a file is refused at once",
        arguments: ["there", "new.mp4/"])
    func directoryAsFile(name: String) throws {
        let service = try TestService(directory)
        let source = try directory.write("clip", to: "media/in.mp4")
        _ = directory.makeDirectory("media/there")
        let output: JSONValue = ["path": .string(directory.file("media/\(name)"))]
        let body: JSONValue = ["input": ["path": .string(source)], "output": output]
        for path in ["/v1/jobs", "/v1/plan"] {
            let answer = try service.ask("POST", path, body)
            #expect(answer.status == 422 && answer.body["code"] == "path.kind")
            #expect(answer.body["hint"]?.string?.contains("'output.directory'") == true)
        }
    }

    @Test("a missing resource is 404, a wrong method is 405")
    func unknown() throws {
        let service = try TestService(directory)
        #expect(try service.ask("GET", "/v1/nothing").status == 404)
        #expect(try service.ask("GET", "/v1/jobs/00000000000000000000").status == 404)
        #expect(try service.ask("PUT", "/v1/jobs").status == 405)
    }

    @Test("only a token opens the API")
    func tokens() throws {
        let service = try TestService(directory, token: "0123456789abcdef")
        #expect(try service.ask("GET", "/v1/jobs").status == 401)
        #expect(try service.ask("GET", "/v1/jobs", nil, [("Authorization", "Bearer no")]).status == 401)
        #expect(try service.ask("GET", "/v1/jobs", nil, [("Authorization", "Bearer 0123456789abcdef")]).status == 200)
        #expect(try service.ask("GET", "/healthz").status == 200)
    }

    @Test("a page of another site cannot use the API")
    func foreignPages() throws {
        let service = try TestService(directory)
        let body: JSONValue = ["input": ["path": "/x"]]
        #expect(try service.ask("POST", "/v1/jobs", body, [("Origin", "http://evil.example")]).status == 403)
        #expect(try service.ask("POST", "/v1/jobs", body, [("Sec-Fetch-Site", "cross-site")]).status == 403)
        // A name rebound to this host.
        #expect(try service.ask("GET", "/v1/jobs", nil, [("Host", "evil.example")]).status == 403)
    }
}
