import Glibc
import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

@testable import VTXService

@Suite("Attacks on the whole API")
struct WholeAPITests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private struct Called: Sendable {
        var method: String
        var path: String
        var needsToken: Bool
    }

    /// Every operation except OPTIONS, which lists the server's methods, with a value for each parameter.
    private func operations(_ service: TestService) throws -> [Called] {
        let paths = try service.ask("GET", "/openapi.json").body["paths"]?.object ?? [:]
        return paths.flatMap { path, operations in
            (operations.object ?? [:]).filter { $0.key != "options" }.map { method, operation in
                let called = path.split(separator: "/", omittingEmptySubsequences: false)
                    .map { $0.hasPrefix("{") ? "x" : $0 }.joined(separator: "/")
                return Called(method: method.uppercased(), path: called, needsToken: operation["security"] != nil)
            }
        }
    }

    @Test("without a token only pages, health and the description are served")
    func strangers() throws {
        let service = try TestService(directory, token: "0123456789abcdef")
        let all = try operations(service)
        let open = all.filter { !$0.needsToken }.map(\.path)
        #expect(open.allSatisfy { !$0.hasPrefix("/v1/") } && !open.contains("/metrics"))
        for called in all where called.needsToken {
            #expect(try service.send(called.method, called.path).status == 401, "\(called)")
        }
    }

    @Test("a page or a form of another site changes nothing, with any request")
    func foreignPages() throws {
        let service = try TestService(directory)
        for called in try operations(service) where !["GET", "HEAD"].contains(called.method) {
            let foreign = [(name: "Origin", value: "https://evil.example"), (name: "X-VTX-Request", value: "1")]
            #expect(try service.send(called.method, called.path, [], foreign).status == 403, "\(called)")
            let form = [(name: "Cookie", value: "a=b"), (name: "Content-Type", value: "text/plain")]
            #expect(try service.send(called.method, called.path, [], form).status == 403, "\(called)")
        }
    }

    @Test("no response can run in a browser, with any contents", arguments: ["/", "/v1/jobs", "/v1/nothing", "/docs"])
    func headers(path: String) throws {
        let response = try TestService(directory).send("GET", path)
        #expect(response.headers["x-content-type-options"] == "nosniff")
        let policy = response.headers["content-security-policy"] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"))
        #expect(!policy.contains("unsafe"))
    }

    @Test("messages are short, even for long values")
    func longValues() throws {
        let service = try TestService(directory)
        let long = JSONValue.string(String(repeating: "x", count: 100_000))
        let settings: JSONValue = ["codec": long]
        let value = try service.ask("POST", "/v1/jobs", ["input": ["path": "/x"], "settings": settings])
        #expect(value.status == 400 && value.body.text.utf8.count < 8000)
        #expect(value.body["detail"]?.string?.contains("h264") == true)
        let members = Dictionary(uniqueKeysWithValues: (0..<5000).map { ("unknown\($0)", JSONValue.null) })
        let names = try service.ask("POST", "/v1/jobs", .object(members))
        #expect(names.status == 400 && names.body["errors"]?.array?.count == 100)
    }

    @Test("a body that is too large, or too deep, is refused")
    func bodies() throws {
        let service = try TestService(directory)
        let json = [(name: "Content-Type", value: "application/json")]
        let large = #"{"input":{"path":"/\#(String(repeating: "x", count: 300_000))"}}"#
        #expect(try service.send("POST", "/v1/jobs", Array(large.utf8), json).status == 413)
        let deep = String(repeating: #"{"a":"#, count: 20_000) + "1" + String(repeating: "}", count: 20_000)
        #expect(try service.send("POST", "/v1/jobs", Array(deep.utf8), json).status == 400)
    }
}

@Suite("The service's own directory below a root")
struct PrivateDirectoryTests {
    private let directory: TestDirectory
    private let roots: Roots

    init() throws {
        directory = try TestDirectory()
        for name in ["media", "state"] { _ = directory.makeDirectory(name) }
        try directory.write("clip", to: "media/in.mp4")
        try directory.write("secret", to: "state/vtx.db")
        symlink("../state", directory.file("media/link"))
        roots = try Roots([directory.path], private: directory.file("state"))
    }

    @Test("is no place of a job's files", arguments: ["state/vtx.db", "media/link/vtx.db"])
    func refused(path: String) throws {
        let place = try roots.place(directory.file(path))
        #expect(throws: SystemError("open '\(place.parent.directory.relative)'", EXDEV)) {
            _ = try place.parent.directory.open(O_RDONLY | O_DIRECTORY)
        }
        #expect { try roots.source(place.path) } throws: { ($0 as? Problem)?.code == "path.outside" }
        let parent = place.parent.directory.path
        #expect { try roots.directory(parent) } throws: { ($0 as? Problem)?.code == "path.outside" }
        #expect { try roots.makeDirectory(place.path) } throws: { ($0 as? Problem)?.code == "path.outside" }
    }

    @Test("may have a root in it, and cannot be one")
    func nested() throws {
        _ = directory.makeDirectory("state/media")
        try directory.write("clip", to: "state/media/in.mp4")
        let nested = try Roots([directory.file("state/media")], private: directory.file("state"))
        #expect(try nested.source(directory.file("state/media/in.mp4")).relative == "in.mp4")
        #expect { try Roots([directory.file("state")], private: directory.file("state")) } throws: {
            ($0 as? Problem)?.code == "root.unusable"
        }
    }

    @Test("leaves the rest of the root as it is")
    func others() throws {
        #expect(try roots.source(directory.file("media/in.mp4")).realPath() == directory.file("media/in.mp4"))
        try roots.makeDirectory(directory.file("state of things"))
    }
}

@Suite("Links placed in a job's path")
struct LinkTests {
    private let directory: TestDirectory
    private let service: TestService

    init() throws {
        directory = try TestDirectory()
        service = try TestService(directory)
        _ = directory.makeDirectory("media/sub")
        _ = directory.makeDirectory("outside")
        try directory.write("clip", to: "media/in.mp4")
        try directory.write("secret", to: "outside/secret.mp4")
    }

    /// A job whose output is below `media/sub`, with an action before its rename.
    private func job(_ settings: JSONValue = [:], meanwhile: @escaping @Sendable () -> Void) throws -> JSONValue {
        service.runner.afterwards.withLock { $0 = meanwhile }
        let output = directory.file("media/sub/secret.mp4")
        return try service.ended(try service.submit(directory.file("media/in.mp4"), output, settings: settings))
    }

    @Test(
        "a directory replaced by a link does not redirect an output outside the roots",
        arguments: ["refuse", "replace"])
    func exchangedDirectory(policy: String) throws {
        let (sub, outside) = (directory.file("media/sub"), directory.file("outside"))
        let job = try job(["overwrite": .string(policy)]) {
            rename(sub, sub + ".moved")
            symlink(outside, sub)
        }
        #expect(job["state"] == "failed" && job["error"]?["code"] == "path.outside")
        #expect(directory.text("outside/secret.mp4") == "secret")
        #expect(Directory.names(in: outside) == ["secret.mp4"])
    }

    @Test("a link at the output's path is replaced or refused, never followed", arguments: ["refuse", "replace"])
    func exchangedOutput(policy: String) throws {
        let (link, secret) = (directory.file("media/sub/secret.mp4"), directory.file("outside/secret.mp4"))
        let job = try job(["overwrite": .string(policy)]) { symlink(secret, link) }
        #expect(job["state"] == (policy == "replace" ? "succeeded" : "failed"))
        #expect(directory.text("outside/secret.mp4") == "secret")
    }

    @Test("an output replaced by a link is not served")
    func download() throws {
        let job = try job {}
        let (link, secret) = (directory.file("media/sub/secret.mp4"), directory.file("outside/secret.mp4"))
        let path = "/v1/jobs/\(job["id"]?.string ?? "")/output"
        #expect(try service.send("GET", path).status == 200)
        unlink(link)
        symlink(secret, link)
        #expect(try service.send("GET", path).status == 404)
    }

    @Test("a name with quotes and line breaks is one header")
    func names() throws {
        let output = directory.file("media/a\"\r\nX-Evil: 1\r\n<script>.mp4")
        let job = try service.ended(try service.submit(directory.file("media/in.mp4"), output))
        let response = try service.send("GET", "/v1/jobs/\(job["id"]?.string ?? "")/output")
        #expect(response.status == 200 && response.headers["x-evil"] == nil)
        #expect(response.headers["content-disposition"]?.hasPrefix("attachment; filename=\"a___X-Evil") == true)
    }
}
