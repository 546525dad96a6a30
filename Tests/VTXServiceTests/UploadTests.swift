import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTestHTTP

@testable import VTXService

@Suite("Uploads")
struct UploadTests {
    private let directory: TestDirectory
    private let service: TestService

    init() throws {
        directory = try TestDirectory()
        service = try TestService(directory) { $0.inputLimit = 1000 }
    }

    private static let piece = ("Content-Type", "application/offset+octet-stream")

    private func created(_ text: String, name: String = "in.mp4", _ headers: [(name: String, value: String)] = [])
        throws
        -> JSONValue
    {
        let response = try service.send("POST", "/v1/uploads?name=\(name)", Array(text.utf8), headers)
        #expect(response.status == 201)
        let upload = try JSONValue(parsing: response.body)
        #expect(response.headers["location"] == "/v1/uploads/\(upload["id"]?.string ?? "")")
        return upload
    }

    private func append(_ text: String, to upload: JSONValue, at offset: Int) throws -> HTTPClient.Response {
        try service.send(
            "PATCH", "/v1/uploads/\(upload["id"]?.string ?? "")", Array(text.utf8),
            [Self.piece, ("Upload-Offset", String(offset)), ("Tus-Resumable", "1.0.0")])
    }

    private func job(_ upload: JSONValue) throws -> (status: Int, body: JSONValue) {
        try service.ask("POST", "/v1/jobs", ["input": ["upload": upload["id"] ?? .null]])
    }

    @Test("a file uploaded in one request is a job's source, and its output can be downloaded")
    func whole() throws {
        let upload = try created("clip", name: "holiday%20%26%20sea.mp4")
        #expect(upload["complete"] == true)
        #expect(upload["name"]?.string == "holiday & sea.mp4")
        let job = try service.ended(try job(upload).body["id"]?.string ?? "")
        #expect(job["state"]?.string == "succeeded")
        let output = try service.send("GET", "/v1/jobs/\(job["id"]?.string ?? "")/output")
        #expect(String(decoding: output.body, as: UTF8.self) == "done: clip")
        let disposition = #"attachment; filename="holiday & sea.mp4.out"; filename*=UTF-8''holiday%20%26%20sea.mp4.out"#
        #expect(output.headers["content-disposition"] == disposition)
        #expect(job["input"]?["name"]?.string == "holiday & sea.mp4")
    }

    @Test("a file uploaded in parts is complete with the last one")
    func pieces() throws {
        let upload = try created("cl", [("Upload-Length", "4")])
        #expect(upload["complete"] == false)
        let early = try job(upload)
        #expect(early.status == 422)
        #expect(early.body["code"]?.string == "upload.incomplete")
        #expect(try append("xx", to: upload, at: 0).status == 409)
        let last = try append("ip", to: upload, at: 2)
        #expect(last.status == 204)
        #expect(last.headers["upload-offset"] == "4")
        #expect(try service.ended(try job(upload).body["id"]?.string ?? "")["state"]?.string == "succeeded")
        #expect(service.runner.sources.withLock(\.self) == ["clip"])
    }

    @Test("received bytes are kept when a connection breaks")
    func broken() throws {
        let upload = try created("", [("Upload-Length", "8")])
        let id = upload["id"]?.string ?? ""
        let connection = try TestConnection(service.service.port)
        try connection.send(
            "PATCH /v1/uploads/\(id) HTTP/1.1\nHost: localhost\nContent-Length: 8\nUpload-Offset: 0\n"
                + "Content-Type: application/offset+octet-stream\n\nhalf")
        var offset: Int64 = 0
        // The server stores bytes as they arrive.
        while offset < 4 { offset = try service.ask("GET", "/v1/uploads/\(id)").body["offset"]?.integer ?? 4 }
        #expect(try append("half", to: upload, at: 4).status == 409)
        connection.close()
        var status = 409
        while status == 409 { status = try append("half", to: upload, at: 4).status }
        #expect(status == 204)
    }

    @Test("an interrupted first request leaves nothing")
    func abandoned() throws {
        let connection = try TestConnection(service.service.port)
        try connection.send("POST /v1/uploads HTTP/1.1\nHost: localhost\nContent-Length: 8\n\nhalf")
        let uploads = directory.file("state/uploads")
        while Directory.names(in: uploads).isEmpty {}
        connection.close()
        while !Directory.names(in: uploads).isEmpty {}
        #expect(try service.ask("GET", "/v1/uploads").body["uploads"]?.array == [])
    }

    @Test("an upload that is too large or empty is refused, and not kept")
    func refused() throws {
        let large = [UInt8](repeating: 0, count: 1001)
        #expect(try service.send("POST", "/v1/uploads", large).status == 413)
        #expect(try service.send("POST", "/v1/uploads", [], [("Upload-Length", "1001")]).status == 413)
        #expect(try service.send("POST", "/v1/uploads", [1, 2], [("Upload-Length", "1")]).status == 413)
        #expect(try service.send("POST", "/v1/uploads", large, [("Transfer-Encoding", "chunked")]).status == 413)
        #expect(try service.send("POST", "/v1/uploads").status == 400)
        #expect(try service.send("POST", "/v1/uploads", [], [("Upload-Length", "0")]).status == 400)
        #expect(Directory.names(in: directory.file("state/uploads")).isEmpty)
        let upload = try created("cl", [("Upload-Length", "4")])
        #expect(try append("ipip", to: upload, at: 2).status == 413)
        #expect(try service.ask("GET", "/v1/uploads/\(upload["id"]?.string ?? "")").body["offset"] == 2)
    }

    @Test("a removed upload is gone")
    func removed() throws {
        let upload = try created("clip")
        let path = "/v1/uploads/\(upload["id"]?.string ?? "")"
        #expect(try service.send("DELETE", path).status == 204)
        #expect(try service.send("GET", path).status == 404)
        #expect(try job(upload).status == 422)
        #expect(Directory.names(in: directory.file("state/uploads")).isEmpty)
    }

    @Test("tus clients get the required headers, and other versions an error")
    func tus() throws {
        let options = try service.send("OPTIONS", "/v1/uploads")
        #expect(options.status == 204)
        #expect(options.headers["tus-version"] == "1.0.0")
        #expect(options.headers["tus-max-size"] == "1000")
        let metadata = [
            (name: "Upload-Metadata", value: "filetype dmlkZW8vbXA0,filename aW4ubWt2"), ("Upload-Length", "3"),
        ]
        let created = try service.send("POST", "/v1/uploads", [], metadata + [("Tus-Resumable", "1.0.0")])
        #expect(try JSONValue(parsing: created.body)["name"]?.string == "in.mkv")
        #expect(try service.send("POST", "/v1/uploads", [], metadata + [("Tus-Resumable", "0.2.2")]).status == 412)
    }

    @Test(
        "a client's file name is sanitized",
        arguments: [
            ("in.mp4", "in.mp4"), ("../../etc/passwd", "passwd"), ("", "source"), (".hidden.mkv", "hidden.mkv"),
            ("..", "source"), ("a\u{7}b\u{202e}.ts", "ab.ts"), ("-rf", "rf"), ("é.mp4", "é.mp4"),
            (String(repeating: "x", count: 300) + ".mp4", String(repeating: "x", count: 120) + ".mp4"),
        ])
    func names(name: String, plain: String) { #expect(ClientFileName.plain(name) == plain) }
}
