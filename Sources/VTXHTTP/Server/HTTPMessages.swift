package import VTXSystem

/// A request as received, unchecked.
package struct HTTPRequest: Sendable {
    package var method: String
    /// The path's decoded segments; nil if an escape is invalid.
    package var segments: [String]?
    /// The path as received.
    package var path: String
    /// The decoded query, in order; nil if an escape is invalid.
    package var query: [(name: String, value: String)]?
    /// By lowercase name.
    package var headers: [String: [String]]
    package var body: [UInt8] = []
    /// The object that took the body instead of memory.
    package var sink: (any HTTPBodySink)?
    /// The client's address without port.
    package var address: String
    /// The common name of the client's certificate, signed by a known authority.
    package var certificateName: String?

    /// - Parameter uri: The path and query as received.
    package init(method: String, uri: String, headers: [String: [String]], address: String) {
        self.method = method
        self.headers = headers
        self.address = address
        let parts = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        segments = Self.segments(parts.first ?? "")
        query = parts.count > 1 ? Self.query(parts[1]) : []
    }

    /// Returns a header that must occur once; nil for several values.
    package func header(_ name: String) -> String? {
        guard let values = headers[name], values.count == 1 else { return nil }
        return values[0]
    }

    private static func segments(_ path: Substring) -> [String]? {
        var decoded: [String] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let text = PercentEncoding.decode(segment) else { return nil }
            decoded.append(text)
        }
        return decoded
    }

    private static func query(_ text: Substring) -> [(name: String, value: String)]? {
        var decoded: [(name: String, value: String)] = []
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(pair[0], plusIsSpace: true),
                let value = PercentEncoding.decode(pair.count > 1 ? pair[1] : "", plusIsSpace: true)
            else { return nil }
            decoded.append((name, value))
        }
        return decoded
    }
}

/// Percent encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// - Returns: the text; nil for an invalid escape, invalid UTF-8, or a zero byte.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, let value = hexadecimal(rest.prefix(2)), value != 0 else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Escapes everything except letters, digits and `-._~`, so that the text is one segment.
    package static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

/// A response.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// A part of a file.
        case file(SharedFile, offset: Int64, count: Int64)
        /// A stream that continues as long as there is data.
        case stream(HTTPStream)
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body

    package init(_ status: Int, headers: [(name: String, value: String)] = [], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package init(_ status: Int, _ type: String, _ text: String, headers: [(name: String, value: String)] = []) {
        self.init(status, type, Array(text.utf8), headers: headers)
    }

    package init(_ status: Int, _ type: String, _ bytes: [UInt8], headers: [(name: String, value: String)] = []) {
        self.init(status, headers: [("Content-Type", type)] + headers, body: .bytes(bytes))
    }
}

/// An open file that responses are read from.
package final class SharedFile: Sendable {
    package let descriptor: FileDescriptor

    package init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
}

/// Answers requests.
package protocol HTTPHandler: Sendable {
    /// A request's head has arrived. Must be fast, because all connections wait for it.
    func begin(_ request: HTTPRequest) -> HTTPReception

    /// The request is complete, with its body. May take long; a reply that has to wait for something is kept, and sent
    /// by another thread.
    func answer(_ request: HTTPRequest, _ reply: HTTPReply)
}

/// Answers each request at once.
package protocol HTTPResponder: HTTPHandler {
    /// The request is complete, with its body. May take long.
    func respond(to request: HTTPRequest) -> HTTPResponse
}

extension HTTPResponder {
    package func answer(_ request: HTTPRequest, _ reply: HTTPReply) { reply.send(respond(to: request)) }
}

/// How a request's body is received.
package enum HTTPReception: Sendable {
    /// In memory, up to a limit in bytes.
    case memory(limit: Int, HTTPLane)
    /// By the handler's sink. `answer` creates the response; the request's body is empty.
    case sink(any HTTPBodySink)
    /// The request is rejected without reading it.
    case refused(HTTPResponse)
}

/// The threads that answer: a request that takes seconds must not block fast ones.
package enum HTTPLane: Sendable, Hashable {
    case quick
    case slow
    /// The ends of bodies that a sink took: a large one takes seconds to reach the disk, but must not wait for requests
    /// that take minutes.
    case upload
}

/// Receives a body incrementally. Called by the server's thread.
package protocol HTTPBodySink: AnyObject, Sendable {
    /// - Returns: a response if the body is rejected; the connection is closed after it.
    func take(_ bytes: RawSpan) -> HTTPResponse?

    /// The connection has closed before the body was complete.
    func abandoned()
}
