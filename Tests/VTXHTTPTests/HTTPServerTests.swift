import Glibc
import Testing
import VTXHTTP
import VTXSystem
import VTXTestHTTP

@Suite("The HTTP server")
struct HTTPServerTests {
    /// Echoes the request.
    private static let echo = TestHandler { request in
        let query = request.query?.map { "\($0.name)=\($0.value)" }.joined(separator: ",") ?? "bad query"
        let path = request.segments?.joined(separator: "|") ?? "bad path"
        return HTTPResponse(
            200, "text/plain", "\(request.method) \(path) ? \(query) # \(String(decoding: request.body, as: UTF8.self))"
        )
    }

    private static func body(_ response: String) -> String {
        String(response.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false).last ?? "")
    }

    @Test(
        "passes the request to the handler, decoded once",
        arguments: [
            ("GET /a/b%2Fc%20d?x=1&y=%26+z&x=2", "GET a|b/c d ? x=1,y=& z,x=2 # "), ("DELETE /", "DELETE  ?  # "),
            ("GET /a%zz", "GET bad path ?  # "), ("GET /a%00", "GET bad path ?  # "),
            ("GET /%ff", "GET bad path ?  # "),
            ("GET /a?b=%2", "GET a ? bad query # "), ("GET /%252e%252e/x", "GET %2e%2e|x ?  # "),
        ])
    func decoding(line: String, answer: String) throws {
        let server = try TestServer(Self.echo)
        #expect(Self.body(try server.ask("\(line) HTTP/1.1\nHost: x\nConnection: close\n\n")) == answer)
    }

    @Test("accepts bodies by length and in chunks, several on one connection")
    func bodies() throws {
        let server = try TestServer(Self.echo)
        let connection = try server.connect()
        try connection.send("POST /a HTTP/1.1\nHost: x\nContent-Length: 5\n\nhello")
        #expect(connection.read(to: "hello").contains("200 OK"))
        try connection.send("POST /b HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n3\nabc\n2\nde\n0\n\n")
        #expect(connection.read(to: "abcde").contains("POST b ?"))
        try connection.send("HEAD /c HTTP/1.1\nHost: x\nConnection: close\n\n")
        #expect(connection.readToEnd().hasSuffix("\r\n\r\n"))
    }

    @Test(
        "refuses a body that is too large, with or without a length",
        arguments: ["Content-Length: 2000", "Transfer-Encoding: chunked"])
    func tooLarge(header: String) throws {
        let server = try TestServer(Self.echo)
        let data = String(repeating: "x", count: 2000)
        let body = header.hasPrefix("C") ? data : "7d0\n\(data)\n0\n\n"
        let answer = try server.ask("POST / HTTP/1.1\nHost: x\nConnection: close\n\(header)\n\n\(body)")
        #expect(answer.contains("413") && answer.contains("request.tooLarge"))
    }

    @Test("a client that sends endlessly is disconnected")
    func endless() throws {
        let server = try TestServer(Self.echo)
        let connection = try server.connect()
        signal(SIGPIPE, SIG_IGN)
        try connection.send("POST / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n")
        let chunk = "10000\r\n" + String(repeating: "x", count: 65536) + "\r\n"
        // Far more than is drained after a refusal.
        #expect(throws: SystemError.self) { for _ in 0..<4096 { try connection.send(raw: Array(chunk.utf8)) } }
    }

    @Test("a client that sends its headers too slowly is disconnected")
    func slowLoris() throws {
        var settings = HTTPServer.Settings()
        settings.headSeconds = 0.2
        let server = try TestServer(Self.echo, settings)
        let connection = try server.connect()
        try connection.send("GET / HTTP/1.1\nHost: ")
        #expect(!connection.readToEnd().contains("200"))
    }

    @Test("refuses before the body arrives")
    func refused() throws {
        let server = try TestServer(
            TestHandler(reception: { _ in .refused(HTTPResponse(401, "text/plain", "who?")) }) { _ in HTTPResponse(200)
            })
        let answer = try server.ask("PUT / HTTP/1.1\nHost: x\nContent-Length: 100000000\n\n")
        #expect(answer.contains("401") && answer.hasSuffix("who?"))
    }

    @Test("responds quickly while slow requests wait")
    func lanes() throws {
        let gate = BoundedQueue<Void>(capacity: 1)
        let server = try TestServer(
            TestHandler(reception: { .memory(limit: 10, $0.path == "/slow" ? .slow : .quick) }) { request in
                if request.path == "/slow" { _ = try? gate.pop() }
                return HTTPResponse(200, "text/plain", request.path)
            })
        let slow = try (0..<10).map { _ in try server.connect() }
        for connection in slow { try connection.send("GET /slow HTTP/1.1\nHost: x\nConnection: close\n\n") }
        #expect(try server.ask("GET /quick HTTP/1.1\nHost: x\nConnection: close\n\n").hasSuffix("/quick"))
        gate.finish()
        #expect(slow.allSatisfy { $0.readToEnd().hasSuffix("/slow") })
    }

    @Test("the end of an upload does not wait for slow requests")
    func uploadLane() throws {
        let gate = BoundedQueue<Void>(capacity: 1)
        let server = try TestServer(
            TestHandler(reception: { $0.path == "/slow" ? .memory(limit: 10, .slow) : .sink(IgnoringSink()) }) {
                request in
                if request.path == "/slow" { _ = try? gate.pop(timeoutSeconds: 30) }
                return HTTPResponse(200, "text/plain", request.path)
            })
        let slow = try (0..<4).map { _ in try server.connect() }
        for connection in slow { try connection.send("GET /slow HTTP/1.1\nHost: x\nConnection: close\n\n") }
        let start = MonotonicClock.seconds
        let upload = "PUT /upload HTTP/1.1\nHost: x\nConnection: close\nContent-Length: 5\n\nhello"
        #expect(try server.ask(upload).hasSuffix("/upload"))
        #expect(MonotonicClock.seconds - start < 20)
        gate.finish()
        #expect(slow.allSatisfy { $0.readToEnd().hasSuffix("/slow") })
    }

    @Test("many clients at once get their own answers")
    func manyClients() throws {
        let server = try TestServer(Self.echo)
        let group = ThreadGroup()
        for client in 0..<8 {
            group.run("client") {
                for number in 0..<25 {
                    let answer = try server.ask("GET /\(client)/\(number) HTTP/1.1\nHost: x\nConnection: close\n\n")
                    #expect(Self.body(answer) == "GET \(client)|\(number) ?  # ")
                }
            }
        }
        try group.wait()
    }

    @Test("sends a part of a file")
    func files() throws {
        let file = try UnnamedFile()
        let writer = try FileDescriptor(opening: file.path, O_RDWR)
        try writer.writeAll("0123456789")
        let shared = SharedFile(writer)
        let server = try TestServer(TestHandler { _ in HTTPResponse(206, body: .file(shared, offset: 3, count: 4)) })
        for _ in 0..<2 {
            #expect(Self.body(try server.ask("GET / HTTP/1.1\nHost: x\nConnection: close\n\n")) == "3456")
        }
    }
}

private final class IgnoringSink: HTTPBodySink {
    func take(_ bytes: RawSpan) -> HTTPResponse? { nil }
    func abandoned() {}
}

@Suite("A streaming response")
struct HTTPStreamTests {
    @Test("arrives in chunks, and ends")
    func stream() throws {
        let stream = HTTPStream()
        let server = try TestServer(TestHandler { _ in HTTPResponse(200, body: .stream(stream)) })
        let connection = try server.connect()
        try connection.send("GET / HTTP/1.1\nHost: x\n\n")
        _ = connection.read(to: "\r\n\r\n")
        for number in 0..<100 {
            #expect(stream.send("piece \(number).\n"))
            #expect(connection.read(to: "piece \(number).\n").hasSuffix("piece \(number).\n"))
        }
        stream.end()
        #expect(connection.read(to: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        #expect(!stream.send("more"))
    }

    @Test("to a disconnected client is closed")
    func gone() throws {
        let stream = HTTPStream()
        let closed = BoundedQueue<Void>(capacity: 1)
        stream.onClose { try? closed.push(()) }
        let server = try TestServer(TestHandler { _ in HTTPResponse(200, body: .stream(stream)) })
        do {
            let connection = try server.connect()
            try connection.send("GET / HTTP/1.1\nHost: x\n\n")
            _ = connection.read(to: "\r\n\r\n")
        }
        while stream.send(": ping\n\n") { sched_yield() }
        #expect(try closed.pop() != nil)
    }

    @Test("to a client that does not read is ended, and uses no memory")
    func slowReader() throws {
        let stream = HTTPStream(limit: 1 << 20)
        let server = try TestServer(TestHandler { _ in HTTPResponse(200, body: .stream(stream)) })
        let connection = try server.connect()
        try connection.send("GET / HTTP/1.1\nHost: x\n\n")
        _ = connection.read(to: "\r\n\r\n")
        let piece = String(repeating: "x", count: 65536)
        var sent = 0
        while stream.send(piece) { sent += 1 }
        // The sockets buffer some of it.
        #expect(sent < 1000)
    }

    @Test("does not delay the server's stop")
    func stopping() throws {
        let stream = HTTPStream()
        let server = try TestServer(TestHandler { _ in HTTPResponse(200, body: .stream(stream)) })
        let connection = try server.connect()
        try connection.send("GET / HTTP/1.1\nHost: x\n\n")
        _ = connection.read(to: "\r\n\r\n")
        stream.end()
        server.stop()
        #expect(throws: (any Error).self) { try server.connect() }
    }
}

@Suite("A server's address")
struct ListenAddressTests {
    @Test(
        "is an address and a port",
        arguments: [
            ("127.0.0.1:80", "127.0.0.1", 80, true), ("[::1]:8080", "::1", 8080, true), (":9", "", 9, false),
            ("localhost:1", "localhost", 1, true), ("0.0.0.0:65535", "0.0.0.0", 65535, false),
        ] as [(String, String, UInt16, Bool)])
    func forms(text: String, host: String, port: UInt16, isLoopback: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.host == host && address.port == port && address.isLoopback == isLoopback)
        #expect(address.description == text)
    }

    @Test("has no other form", arguments: ["", "8080", "::1:80", "a:b", "a:70000", "[::1]"])
    func refused(text: String) { #expect(ListenAddress(text) == nil) }

    @Test("is an error where another server listens already")
    func taken() throws {
        let first = try ListenAddress("127.0.0.1:0")!.listen()
        let port = ListenAddress.port(of: first)
        #expect { _ = try ListenAddress("127.0.0.1:\(port)")!.listen() } throws: {
            ($0 as? SystemError)?.code == EADDRINUSE
        }
    }
}
