package import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

/// An error as returned to clients (RFC 9457).
package struct Problem: Error, Sendable {
    package var status: Int
    /// A stable code for programs: `job.notFound`.
    package var code: String
    package var detail: String
    package var hint: String?
    /// The individual problems of the request.
    package var errors: [SchemaProblem] = []
    package var headers: [(name: String, value: String)] = []

    package init(_ status: Int, _ code: String, _ detail: String, hint: String? = nil, errors: [SchemaProblem] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.hint = hint
        self.errors = errors
    }

    package static let contentType = "application/problem+json"

    package var response: HTTPResponse { HTTPResponse(status, Self.contentType, json.text, headers: headers) }

    var json: JSONValue {
        var json: [String: JSONValue] = [
            "type": "about:blank", "title": .string(Self.title(status)), "status": .integer(Int64(status)),
            "code": .string(code), "detail": .string(Self.shortened(detail)),
        ]
        if let hint { json["hint"] = .string(Self.shortened(hint)) }
        if !errors.isEmpty {
            json["errors"] = .array(
                errors.prefix(100).map {
                    ["pointer": .string(Self.shortened($0.pointer)), "message": .string(Self.shortened($0.message))]
                })
        }
        return .object(json)
    }

    /// Shortens a quoted request, which may be as long as a body. The explanation around it stays.
    private static func shortened(_ text: String) -> String {
        text.utf8.count > 2000 ? text.prefix(500) + " ... " + text.suffix(500) : text
    }

    static let schema = Schema.named(
        "Problem",
        .object(
            .init([
                .init("type", .string(), "Always `about:blank`.", required: true),
                .init("title", .string(), "The status as text.", required: true),
                .init("status", .integer(400...599), "The HTTP status.", required: true),
                .init("code", .string(), "Stable, for programs: `job.notFound`.", required: true),
                .init("detail", .string(.init(0...65536)), "A sentence for users.", required: true),
                .init("hint", .string(), "A remedy."),
                .init(
                    "errors",
                    .array(
                        of: .object(
                            .init([
                                .init(
                                    "pointer", .string(),
                                    "The location: a JSON pointer, or a parameter's name.", required: true),
                                .init(
                                    "message", .string(), "The problem, and what is allowed.", required: true),
                            ])), max: 1000), "All problems of the request."),
            ])))

    private static func title(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 409: "Conflict"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        case 507: "Insufficient Storage"
        default: "Internal Server Error"
        }
    }
}

extension Problem {
    static func notFound(_ what: String, _ name: String) -> Problem {
        Problem(404, "\(what).notFound", "there is no \(what) '\(name)'")
    }

    /// The store failed while the server stopped.
    static var stopping: Problem {
        Problem(503, "service.stopping", "the service is stopping, and did not store the request", hint: "retry it")
    }

    init(_ error: StoreError) {
        switch error.kind {
        case .full: self.init(507, "store.full", error.message, hint: error.hint)
        case .busy: self.init(503, "store.busy", error.message, hint: error.hint)
        case .damaged: self.init(500, "store.damaged", error.message, hint: error.hint)
        case .newer, .disk, .failed: self.init(500, "store.failed", error.message, hint: error.hint)
        }
    }

    init(_ conflict: JobConflict) { self.init(409, "job.conflict", conflict.description) }
}

extension JSONValue {
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    static func time(_ time: Timestamp?) -> JSONValue { time.map { .string($0.description) } ?? .null }

    /// Creates an object without members that are null.
    static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(Dictionary(members.filter { $0.value != .null }.map { ($0.key, $0.value) }) { _, last in last })
    }
}
