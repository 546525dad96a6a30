import Glibc
import Testing
import VTXHTTP
import VTXSystem
import VTXTestHTTP

@Suite("A reply that is sent later")
struct HTTPReplyTests {
    private let handler = KeepingHandler()
    private let server: TestServer

    init() throws {
        signal(SIGPIPE, SIG_IGN)
        server = try TestServer(handler)
    }

    /// Sends a request on a new connection, and waits until its handler has the reply.
    private func begin() throws -> (connection: TestConnection, reply: HTTPReply) {
        let connection = try server.connect()
        try connection.send("GET / HTTP/1.1\nHost: x\n\n")
        return (connection, try #require(try handler.replies.pop()))
    }

    @Test("is sent by any thread, once, and the connection takes the next request")
    func later() throws {
        let (connection, reply) = try begin()
        reply.send(.text("one"))
        reply.send(.text("two"))
        #expect(connection.read(to: "one").contains("200 OK"))
        try connection.send("GET / HTTP/1.1\nHost: x\nConnection: close\n\n")
        try #require(try handler.replies.pop()).send(.text("three"))
        #expect(connection.readToEnd().hasSuffix("three"))
    }

    @Test("occupies no thread, for hundreds of clients")
    func many() throws {
        let open = try (0..<200).map { _ in try begin() }
        for (number, entry) in open.enumerated() { entry.reply.send(.text("<\(number)>")) }
        for (number, entry) in open.enumerated() {
            #expect(entry.connection.read(to: ">").hasSuffix("\r\n\r\n<\(number)>"))
        }
    }

    @Test("is an error if the server stops before")
    func stopping() throws {
        let open = try (0..<4).map { _ in try begin() }
        server.stop()
        for (connection, reply) in open {
            let answer = connection.readToEnd()
            #expect(answer.contains("503") && answer.contains("service.stopping"))
            reply.send(.text("late"))
        }
    }

    @Test("to a client that has disconnected is dropped")
    func gone() throws {
        let reply = try begin().reply
        reply.send(.text("late"))
        let (connection, other) = try begin()
        other.send(.text("there"))
        #expect(connection.read(to: "there").hasSuffix("there"))
    }
}

/// Passes its replies to the test.
private final class KeepingHandler: HTTPHandler {
    let replies = BoundedQueue<HTTPReply>(capacity: 1000)

    func begin(_ request: HTTPRequest) -> HTTPReception { .memory(limit: 0, .quick) }
    func answer(_ request: HTTPRequest, _ reply: HTTPReply) { try? replies.push(reply) }
}

extension HTTPResponse {
    fileprivate static func text(_ text: String) -> HTTPResponse { HTTPResponse(200, "text/plain", text) }
}
