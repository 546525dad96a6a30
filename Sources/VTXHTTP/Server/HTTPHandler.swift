/// What answers requests.
package protocol HTTPHandler: Sendable {
    /// A request's head is there. Must be quick: all connections wait for it.
    func begin(_ request: HTTPRequest) -> HTTPReception

    /// The request is there, with its body; may take its time.
    func respond(to request: HTTPRequest) -> HTTPResponse
}

/// How a request's body is taken.
package enum HTTPReception: Sendable {
    /// Into memory, up to a limit in bytes.
    case memory(limit: Int, HTTPLane)
    /// Into something of the handler's. The answer is `respond`'s, with an empty body.
    case sink(any HTTPBodySink)
    /// Not at all.
    case refused(HTTPResponse)
}

/// Which threads answer: a request that takes seconds must not keep the quick ones waiting.
package enum HTTPLane: Sendable, Hashable, CaseIterable {
    case quick
    case slow
}

/// Takes a body as it comes. Called by the server's thread.
package protocol HTTPBodySink: AnyObject, Sendable {
    /// - Returns: a response where the body cannot be taken; the connection is closed after it.
    func take(_ bytes: RawSpan) -> HTTPResponse?

    /// The connection has ended before the body has.
    func abandoned()
}
