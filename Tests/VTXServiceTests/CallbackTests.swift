import FoundationEssentials
import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("Callbacks")
struct CallbackTests {
    private let directory: TestDirectory
    private let source: String

    init() throws {
        directory = try TestDirectory()
        _ = directory.makeDirectory("media")
        source = try directory.write("clip", to: "media/in.mp4")
    }

    private func service() throws -> TestService {
        try TestService(directory) { $0.urls.privateHosts = ["127.0.0.1"] }
    }

    @Test("a job's end is sent, signed, until it is accepted")
    func delivered() throws {
        let web = try TestWeb(HTTPResponse(500), HTTPResponse(204))
        let service = try service()
        let body: JSONValue = [
            "input": ["path": .string(source)], "callback": ["url": .string(web.url + "/hook?key=secret")],
        ]
        let job = try service.ended(try service.ask("POST", "/v1/jobs", body).body["id"]?.string ?? "")
        #expect(job["callback"]?["url"]?.string == web.url + "/hook?...")
        let requests = [try #require(try web.request()), try #require(try web.request())]
        #expect(requests[0].body == requests[1].body)
        #expect(requests[0].header("webhook-id") == requests[1].header("webhook-id"))
        let message = try JSONValue(parsing: requests[0].body)
        #expect(message["type"]?.string == "job.succeeded")
        #expect(message["data"]?["id"] == job["id"])
        for request in requests { #expect(request.header("webhook-signature") == (try signature(of: request))) }
    }

    /// The signature as computed by a receiver.
    private func signature(of request: HTTPRequest) throws -> String {
        let text = try #require(directory.text("state/callback-secret"))
        let key = try #require(Data(base64Encoded: String(text.dropFirst(6).dropLast())))
        let (id, time) = (request.header("webhook-id") ?? "", request.header("webhook-timestamp") ?? "")
        let signed = "\(id).\(time).\(String(decoding: request.body, as: UTF8.self))"
        return "v1," + Data(HMAC.sha256(signed.utf8, key: Array(key))).base64EncodedString()
    }

    @Test("an end that a killed server has not sent is sent by the next one")
    func afterKill() throws {
        let web = try TestWeb(HTTPResponse(200))
        _ = directory.makeDirectory("state")
        let store = try SQLiteStore(path: directory.file("state/vtx.db"))
        var generator = SystemRandomNumberGenerator()
        let specification = JobSpecification(
            input: .init(path: source), callback: .init(url: web.url))
        var job = Job(id: JobID(using: &generator), specification, at: .now)
        _ = try store.add(job, key: nil, [])
        _ = try job.handle(.cancel, at: .now)
        _ = try store.save([job], [], [try #require(JobRecord.callback(of: job))])
        store.close()
        let service = try service()
        let message = try JSONValue(parsing: try #require(try web.request()).body)
        #expect(message["data"]?["id"]?.string == job.id.text)
        #expect(message["type"]?.string == "job.cancelled")
        withExtendedLifetime(service) {}
    }

    @Test("the signature is the one of the specification's example")
    func example() throws {
        let secret = try #require(CallbackSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let headers = secret.headers(
            "msg_p5jXN8AQM9LWM0D4loKWxJek", #"{"test": 2432232314}"#, at: Timestamp(milliseconds: 1_614_265_330_000))
        #expect(headers.map(\.value).last == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("an invalid secret is refused", arguments: ["", "secret", "whsec_", "whsec_AAAA"])
    func wrongSecrets(text: String) { #expect(CallbackSecret(text) == nil) }
}
