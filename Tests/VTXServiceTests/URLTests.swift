import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

@testable import VTXService

@Suite("Sources and outputs by URL")
struct URLTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func service(_ hosts: [String] = ["127.0.0.1"], limit: Int64 = 1000) throws -> TestService {
        try TestService(directory) {
            $0.urls.privateHosts = hosts; $0.inputLimit = limit
        }
    }

    private func ended(_ service: TestService, _ body: JSONValue) throws -> JSONValue {
        try service.ended(try service.ask("POST", "/v1/jobs", body).body["id"]?.string ?? "")
    }

    @Test("a source is downloaded through redirects, and names its output")
    func fetched() throws {
        let web = try TestWeb(.redirect("/other/clip.mkv"), .page("clip"))
        let service = try service()
        let job = try ended(service, ["input": ["url": .string(web.url + "/first.mp4?key=secret")]])
        #expect(job["state"]?.string == "succeeded")
        #expect(job["input"]?["url"]?.string == web.url + "/first.mp4?...")
        #expect(service.runner.sources.withLock(\.self) == ["clip"])
        #expect(job["result"]?["output"]?.string?.hasSuffix("/first.mp4.out") == true)
        #expect(try web.request()?.path == "/first.mp4")
        #expect(try web.request()?.path == "/other/clip.mkv")
        service.stop()
        #expect(Directory.names(in: directory.file("state/work")).isEmpty)
    }

    @Test("a redirect to a forbidden address is not followed")
    func forbiddenRedirect() throws {
        let web = try TestWeb(.redirect("http://localhost:1/"))
        let service = try service()
        let job = try ended(service, ["input": ["url": .string(web.url)]])
        #expect(job["error"]?["code"]?.string == "url.forbidden")
        #expect(service.runner.sources.withLock(\.self).isEmpty)
    }

    @Test("a source that is fetched again has the server's time, and nothing stays of another worker's")
    func fetchedAgain() throws {
        let header = (name: "Last-Modified", value: "Sun, 06 Nov 1994 08:49:37 GMT")
        let web = try TestWeb(HTTPResponse(200, "video/mp4", "clip", headers: [header]))
        let transfer = URLTransfer(URLRules(privateHosts: ["127.0.0.1"]), limit: 10)
        _ = directory.makeDirectory("source")
        try directory.write("cl", to: "source/.partial.1")
        let path = try transfer.fetch(web.url + "/a.mp4", into: directory.file("source"), attempt: 2, RunControl()) {
            _ in
        }
        #expect(FileStatus(path)?.modificationTime == 784_111_777_000_000_000)
        #expect(Directory.names(in: directory.file("source")) == ["a.mp4"])
    }

    @Test("nothing stays of a download that fails")
    func failedDownload() throws {
        let web = try TestWeb(.page("clip"))
        let transfer = URLTransfer(URLRules(privateHosts: ["127.0.0.1"]), limit: 3)
        #expect(throws: Failure.self) {
            try transfer.fetch(web.url + "/a.mp4", into: directory.file("source"), attempt: 1, RunControl()) { _ in }
        }
        #expect(Directory.names(in: directory.file("source")).isEmpty)
    }

    @Test("an endless redirect is an error")
    func endlessRedirect() throws {
        let web = try TestWeb(.redirect("/again"))
        let job = try ended(try service(), ["input": ["url": .string(web.url)]])
        #expect(job["error"]?["code"]?.string == "url.redirects")
    }

    @Test("a source that is too large or missing is an error")
    func unusable() throws {
        let service = try service(limit: 3)
        let large = try TestWeb(.page("clip"))
        let missing = try TestWeb(HTTPResponse(404))
        #expect(
            try ended(service, ["input": ["url": .string(large.url)]])["error"]?["code"]?.string == "input.tooLarge")
        let job = try ended(service, ["input": ["url": .string(missing.url)]])
        #expect(job["error"]?["code"]?.string == "url.refused")
        #expect(job["error"]?["message"]?.string == "the source's server returned status 404")
    }

    @Test("an output is uploaded by PUT, with retries if the server fails")
    func sent() throws {
        let web = try TestWeb(HTTPResponse(503), HTTPResponse(200))
        let service = try service()
        let source = try directory.write("clip", to: "media/in.mp4")
        let body: JSONValue = [
            "input": ["path": .string(source)], "output": ["url": .string(web.url + "/bucket/out.mkv?key=secret")],
        ]
        let job = try ended(service, body)
        #expect(job["state"]?.string == "succeeded")
        #expect(job["result"]?["output"]?.string == web.url + "/bucket/out.mkv?...")
        for _ in 0..<2 {
            let request = try #require(try web.request())
            #expect((request.method, request.path) == ("PUT", "/bucket/out.mkv"))
            #expect(String(decoding: request.body, as: UTF8.self) == "done: clip")
        }
        // It was transcoded once.
        #expect(service.runner.sources.withLock(\.self) == ["clip"])
        #expect(Directory.names(in: directory.file("state/outputs")).isEmpty)
        #expect(try service.ask("GET", "/v1/jobs/\(job["id"]?.string ?? "")/output").status == 409)
    }

    @Test(
        "a forbidden URL is refused when the job is submitted",
        arguments: [
            (["input": ["url": "https://evil.example/x"]], "url.forbidden"),
            (["input": ["url": "file:///etc/passwd"]], "url.invalid"),
            (["input": ["path": "/in.mp4"], "callback": ["url": "https://evil.example"]], "url.forbidden"),
            (["input": ["path": "/in.mp4"], "output": ["url": "https://evil.example"]], "url.forbidden"),
        ] as [(JSONValue, String)])
    func refused(body: JSONValue, code: String) throws {
        let service = try service()
        let source = try directory.write("clip", to: "media/in.mp4")
        var members = body.object ?? [:]
        if body["input"]?["path"] != nil { members["input"] = ["path": .string(source)] }
        #expect(try service.ask("POST", "/v1/jobs", .object(members)).body["code"]?.string == code)
    }
}

@Suite("Allowed URLs")
struct URLRulesTests {
    private let rules = URLRules(
        hosts: ["cdn.example.com", ".media.example", "10.0.0.1"], privateHosts: ["box", "127.0.0.1"])

    @Test(
        "allowed hosts by https at public addresses",
        arguments: [
            ("https://cdn.example.com/x", nil), ("https://CDN.example.com:8443/x", nil),
            ("https://a.media.example/x", nil), ("https://media.example/", "url.forbidden"),
            ("https://xmedia.example/", "url.forbidden"), ("http://cdn.example.com/x", "url.plain"),
            ("https://10.0.0.1/", "url.private"), ("http://box/x", nil), ("http://127.0.0.1:9000/x", nil),
            ("https://cdn.example.com@evil.example/", "url.invalid"),
            ("https://cdn.example.com\\.evil/", "url.invalid"),
            ("ftp://cdn.example.com/", "url.invalid"), ("https://2130706433/", "url.invalid"),
            ("https://0x7f.1/", "url.invalid"), ("https://127.1/", "url.invalid"), ("https:///x", "url.invalid"),
            ("https://cdn.example.com:0/", "url.invalid"), ("https://evil.example/#cdn.example.com", "url.forbidden"),
        ] as [(String, String?)])
    func check(url: String, code: String?) {
        var found: String?
        do throws(Problem) { _ = try rules.check(url, "source") } catch { found = error.code }
        #expect(found == code)
    }

    @Test("any host is any public one: a private address is refused, in any notation")
    func any() {
        let rules = URLRules(hosts: ["*"])
        #expect((try? rules.check("https://example.com/", "source"))?.addresses == .publicOnly)
        for host in ["127.0.0.1", "[::1]", "169.254.169.254", "[::ffff:10.0.0.1]", "192.168.1.1", "[fd00::1]"] {
            #expect(throws: Problem.self) { try rules.check("https://\(host)/", "source") }
        }
    }

    @Test("no request uses the environment's proxies", arguments: ["https://cdn.example.com/x", "http://box/x"])
    func proxies(url: String) throws {
        #expect(!(try URLTransfer(rules, limit: 10).request("PUT", url, "output").usesProxies))
        #expect(!(try rules.request("POST", url, "callback").usesProxies))
    }

    @Test("a name that resolves to a private address is not connected to, whatever it resolved to before")
    func resolved() throws {
        // The check of the name allows it; its address decides.
        let transfer = URLTransfer(URLRules(hosts: ["*"]), limit: 10)
        let request = try transfer.request("GET", "https://localhost:1/", "source")
        #expect {
            _ = try transfer.send(request, "source", RunControl())
        } throws: { ($0 as? Failure)?.code == "url.private" }
    }

    @Test(
        "a redirect is resolved by RFC 3986",
        arguments: [
            ("https://b.example/x", "https://b.example/x"), ("/x", "https://a.example:1/x"),
            ("x?y", "https://a.example:1/dir/x?y"), ("//b.example/x", "https://b.example/x"),
            ("HTTPS://b.example/x", "HTTPS://b.example/x"),
            ("/x?from=http://127.0.0.1/", "https://a.example:1/x?from=http://127.0.0.1/"),
            ("x#http://b.example", "https://a.example:1/dir/x#http://b.example"),
            ("//b.example/x?http://c.example", "https://b.example/x?http://c.example"),
            ("1://x", "https://a.example:1/dir/1://x"), ("://x", "https://a.example:1/dir/://x"),
        ])
    func following(location: String, url: String) {
        #expect(URLParts("https://a.example:1/dir/file?q=/z")?.following(location) == url)
    }
}
