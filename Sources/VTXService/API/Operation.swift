package import VTXHTTP
package import VTXJSON

/// One thing that clients can ask for. The table of them is the router and the OpenAPI document at the same time.
package struct Operation: Sendable {
    package var id: String
    var method: String
    /// With `{name}` for parameters.
    var path: String
    var tag: String
    var summary: String
    var description = ""
    /// nil for what everybody may ask.
    var scope: Scope?
    var parameters: [Parameter] = []
    var body: Body?
    /// Those of its own; what any operation may answer is added.
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
        /// May be there several times.
        var repeats = false
        var isRequired = false
    }

    package enum Body: Sendable {
        case json(Schema)
        /// Bytes that go into a file as they come.
        case bytes(type: String, isRequired: Bool = true, sink: @Sendable (Call) throws -> any HTTPBodySink)
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

/// What a client may do; each includes those before.
package enum Scope: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    case read
    case submit
    case admin

    private var rank: Int { Self.allCases.firstIndex(of: self)! }
    package static func < (left: Scope, right: Scope) -> Bool { left.rank < right.rank }
}

/// One request for an operation, checked against what the operation says of it.
package struct Call: Sendable {
    package var request: HTTPRequest
    package var caller: Caller
    var path: [String: String] = [:]
    var query: [String: [JSONValue]] = [:]
    package var body: JSONValue = .null

    /// A parameter of the path.
    subscript(name: String) -> String { path[name] ?? "" }

    func text(_ name: String) -> String? { query[name]?.first?.string }
    func integer(_ name: String) -> Int64? { query[name]?.first?.integer }
    func texts(_ name: String) -> [String] { query[name]?.compactMap(\.string) ?? [] }
}

/// Who asks.
package struct Caller: Sendable, Hashable {
    /// For the audit log: a token's name, a certificate's, or `local`.
    package var name: String
    package var scope: Scope?
}
