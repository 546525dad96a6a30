package import VTXHTTP
package import VTXJSON

/// An operation of the API. The router and the OpenAPI document use the same table of operations.
package struct Operation: Sendable {
    package var id: String
    var method: String
    /// With `{name}` for parameters.
    var path: String
    var tag: String
    var summary: String
    var description = ""
    /// nil for an operation that is public.
    var scope: Scope?
    var parameters: [Parameter] = []
    /// Whether unknown parameters of the query are ignored: players and caches add their own.
    var takesAnyQuery = false
    var body: Body?
    /// The operation's own responses, besides those that any operation may return.
    var responses: [Response]
    var lane = HTTPLane.quick
    var handle: @Sendable (Call) throws -> HTTPResponse

    package struct Parameter: Sendable {
        package enum Place: String, Sendable {
            case path
            case query
            case header
        }

        var name: String
        var place: Place
        var schema: Schema
        var description: String
        /// Whether it may be repeated.
        var repeats = false
        var isRequired = false
    }

    package enum Body: Sendable {
        case json(Schema, isRequired: Bool = true)
        /// Bytes that are streamed into a file.
        case bytes(type: String, isRequired: Bool = true, sink: @Sendable (Call) throws -> any HTTPBodySink)

        /// That of a request that says everything by its path: clients that always send JSON send `{}`.
        static let empty = Body.json(.object(.init([])), isRequired: false)
    }

    package struct Response: Sendable {
        var status: Int
        var description: String
        /// nil for no body.
        var type: String? = "application/json"
        var schema: Schema?
        var headers: [String: String] = [:]
    }

    var segments: [Substring] { path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) }
}

/// The permission of a client. Each scope includes the previous ones.
package enum Scope: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    case read
    case submit
    case admin

    private var rank: Int { Self.allCases.firstIndex(of: self)! }
    package static func < (left: Scope, right: Scope) -> Bool { left.rank < right.rank }
}

/// A request for an operation, validated against the operation's description.
package struct Call: Sendable {
    package var request: HTTPRequest
    package var caller: Caller
    var path: [String: String] = [:]
    var query: [String: [JSONValue]] = [:]
    package var body: JSONValue = .null

    /// Returns a path parameter.
    subscript(name: String) -> String { path[name] ?? "" }

    func text(_ name: String) -> String? { query[name]?.first?.string }
    func integer(_ name: String) -> Int64? { query[name]?.first?.integer }
    func texts(_ name: String) -> [String] { query[name]?.compactMap(\.string) ?? [] }
}

/// The client of a request.
package struct Caller: Sendable, Hashable {
    /// The name in the audit log: that of a token or a certificate, or `local`.
    package var name: String
    package var scope: Scope?
}
