import CMicroHTTPD
import VTXSystem

/// The reply to a request, whose connection is suspended until it is sent. Any thread may send it, once; later calls
/// have no effect.
package final class HTTPReply: Sendable {
    private let exchange: Locked<Exchange?>
    private let replies: OpenReplies

    init(_ exchange: Exchange, _ replies: OpenReplies) {
        self.exchange = Locked(exchange)
        self.replies = replies
    }

    package func send(_ response: HTTPResponse) {
        guard let exchange = exchange.withLock({ $0.take() }) else { return }
        exchange.response = response
        replies.closed(self)
        MHD_resume_connection(exchange.connection)
    }
}

/// The replies that have not been sent. A handler may keep one for as long as it likes, but not longer than the server.
final class OpenReplies: Sendable {
    private let replies = Locked<[ObjectIdentifier: HTTPReply]>([:])

    func open(_ exchange: Exchange) -> HTTPReply {
        let reply = HTTPReply(exchange, self)
        replies.withLock { $0[ObjectIdentifier(reply)] = reply }
        return reply
    }

    func closed(_ reply: HTTPReply) { replies.withLock { $0[ObjectIdentifier(reply)] = nil } }

    /// Call it when no more replies are opened.
    func endAll() { replies.withLock { Array($0.values) }.forEach { $0.send(.stopping) } }
}

// MARK: Responses of the server itself

extension HTTPResponse {
    static func tooLarge(_ limit: Int) -> HTTPResponse {
        problem(413, "request.tooLarge", "Content Too Large", "at most \(limit) bytes are allowed")
    }

    static let stopping = problem(503, "service.stopping", "Service Unavailable", "the server is stopping")

    /// RFC 9457. The texts need no escapes.
    private static func problem(_ status: Int, _ code: String, _ title: String, _ detail: String) -> HTTPResponse {
        HTTPResponse(
            status, "application/problem+json",
            #"{"code":"\#(code)","detail":"\#(detail)","status":\#(status),"title":"\#(title)","type":"about:blank"}"#)
    }
}
