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

/// A response with a file, or with the range that a client requests (RFC 9110, section 14).
enum FileResponse {
    static func response(_ file: SharedFile, named name: String, range: String?) throws(Problem) -> HTTPResponse {
        let size = file.descriptor.status?.byteCount ?? 0
        let headers: [(name: String, value: String)] = [
            ("Content-Type", "application/octet-stream"), ("Accept-Ranges", "bytes"),
            ("Content-Disposition", disposition(name)),
        ]
        guard let range, let part = bytes(range, of: size) else {
            return HTTPResponse(200, headers: headers, body: .file(file, offset: 0, count: size))
        }
        guard !part.isEmpty else {
            var problem = Problem(416, "range.outside", "the file has \(size) bytes")
            problem.headers = [("Content-Range", "bytes */\(size)")]
            throw problem
        }
        let place = ("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)")
        return HTTPResponse(
            206, headers: headers + [(name: place.0, value: place.1)],
            body: .file(file, offset: part.lowerBound, count: Int64(part.count)))
    }

    /// Contains the name in two forms (RFC 6266), because curl and old clients support only the plain one.
    private static func disposition(_ name: String) -> String {
        let plain = name.unicodeScalars.map { scalar in
            scalar.isASCII && scalar.value >= 0x20 && !"\"\\%\u{7f}".unicodeScalars.contains(scalar)
                ? String(scalar) : "_"
        }
        return "attachment; filename=\"\(plain.joined())\"; filename*=UTF-8''\(PercentEncoding.encode(name))"
    }

    /// - Returns: nil for anything other than a single range, for which the response is the whole file. Empty for a
    ///   range outside the file.
    static func bytes(_ text: String, of size: Int64) -> Range<Int64>? {
        guard text.hasPrefix("bytes="), !text.contains(",") else { return nil }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.allSatisfy { "0123456789".contains($0) } }) else { return nil }
        switch (Int64(parts[0]), Int64(parts[1])) {
        case (let first?, let last?): return last < first ? nil : clamped(first, last, size)
        case (let first?, nil): return parts[1].isEmpty ? clamped(first, size - 1, size) : nil
        case (nil, let count?): return parts[0].isEmpty ? clamped(max(0, size - count), size - 1, size) : nil
        case (nil, nil): return nil
        }
    }

    private static func clamped(_ first: Int64, _ last: Int64, _ size: Int64) -> Range<Int64> {
        guard first < size, first <= last else { return 0..<0 }
        return first..<min(last, size - 1) + 1
    }
}
