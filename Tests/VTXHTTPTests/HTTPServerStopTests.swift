import Glibc
import Testing
import VTXHTTP
import VTXSystem
import VTXTestHTTP

@Suite("A stop of the HTTP server")
struct HTTPServerStopTests {
    private let gate = Gate()

    init() { signal(SIGPIPE, SIG_IGN) }

    @Test("ends the open streams, also those that their handler does not end")
    func streams() throws {
        let server = try TestServer(TestHandler { _ in HTTPResponse(200, body: .stream(HTTPStream())) })
        let connections = try (0..<4).map { _ in try server.connect() }
        for connection in connections {
            try connection.send("GET / HTTP/1.1\nHost: x\n\n")
            _ = connection.read(to: "\r\n\r\n")
        }
        server.stop()
        #expect(connections.allSatisfy { $0.readToEnd() == "0\r\n\r\n" })
    }

    @Test("ends a stream that is opened meanwhile")
    func lateStream() throws {
        let server = try server { _ in HTTPResponse(200, body: .stream(HTTPStream())) }
        try duringStop(of: server) { held in
            gate.open()
            #expect(held.readToEnd().hasSuffix("\r\n\r\n0\r\n\r\n"))
        }
    }

    @Test("answers the requests that have arrived, and closes the connections of later ones")
    func requests() throws {
        let sink = CountingSink()
        let server = try server(sink) { HTTPResponse(200, "text/plain", $0.path) }
        let late = try server.connect()
        try late.send("GET /early HTTP/1.1\nHost: x\n\n")
        _ = late.read(to: "/early")
        try duringStop(of: server) { held in
            try late.send("PUT /late HTTP/1.1\nHost: x\nContent-Length: 5\n\nhello")
            #expect(late.readToEnd().isEmpty)
            #expect(sink.abandonments.withLock(\.self) == 1)
            gate.open()
            #expect(held.readToEnd().hasSuffix("/held"))
        }
    }

    /// A server whose answer to `/held` waits at the gate.
    private func server(
        _ sink: CountingSink = CountingSink(), held: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) throws -> TestServer {
        try TestServer(
            TestHandler(reception: { $0.method == "PUT" ? .sink(sink) : .memory(limit: 0, .quick) }) { [gate] request in
                guard request.path == "/held" else { return HTTPResponse(200, "text/plain", request.path) }
                gate.pass()
                return held(request)
            })
    }

    /// Calls `body` once the server is stopping, with a connection whose request is at the gate.
    private func duringStop(of server: TestServer, _ body: (TestConnection) throws -> Void) throws {
        let (held, probe) = (try server.connect(), try server.connect())
        try held.send("GET /held HTTP/1.1\nHost: x\n\n")
        gate.waitForRequest()
        let group = ThreadGroup()
        group.run("stop") { server.stop() }
        // A server that is stopping does not answer.
        while (try? probe.send("GET /probe HTTP/1.1\nHost: x\n\n")) != nil, !probe.read(to: "/probe").isEmpty {}
        try body(held)
        try group.wait()
    }
}

/// Where a request's handler waits.
private final class Gate: Sendable {
    private let arrivals = BoundedQueue<Void>(capacity: 1)
    private let openings = BoundedQueue<Void>(capacity: 1)

    /// After a while it opens by itself, so that a test fails instead of waiting forever.
    func pass() {
        try? arrivals.push(())
        _ = try? openings.pop(timeoutSeconds: 30)
    }

    func waitForRequest() { _ = try? arrivals.pop() }
    func open() { openings.finish() }
}

/// Counts how often its request ends unanswered.
private final class CountingSink: HTTPBodySink {
    let abandonments = Locked(0)

    func take(_ bytes: RawSpan) -> HTTPResponse? { nil }
    func abandoned() { abandonments.withLock { $0 += 1 } }
}
