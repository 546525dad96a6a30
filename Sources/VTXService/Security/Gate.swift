import VTXHTTP
import VTXSystem

/// Authentication and authorization, before anything else.
struct Gate: Sendable {
    let tokens: Tokens
    /// Whether only local programs can reach the listener.
    let isLoopback: Bool
    /// The names by which clients may address this host, besides its IP addresses.
    let hostNames: Set<String>
    /// Whether clients may present a certificate instead of a token.
    var knowsCertificates = false

    /// - Throws: 401 if the client is unknown; 403 if it lacks the permission, or a foreign page in a browser sent the
    ///   request.
    func admit(_ request: HTTPRequest, _ operation: Operation) throws(Problem) -> Caller {
        try checkHost(request)
        try checkOrigin(request, operation)
        let caller = try identify(request)
        guard let needed = operation.scope else { return caller }
        guard let scope = caller.scope else { throw unknown }
        guard scope >= needed else {
            throw Problem(403, "scope.insufficient", "this needs a token with the scope '\(needed.rawValue)'")
        }
        return caller
    }

    private func identify(_ request: HTTPRequest) throws(Problem) -> Caller {
        if let values = request.headers["authorization"] {
            guard values.count == 1, let secret = Self.bearer(values[0]) else {
                throw Problem(401, "token.invalid", "the Authorization header has no bearer token")
            }
            let token = try tokens.check(secret, from: request.address, at: MonotonicClock.seconds)
            return Caller(name: token.name, scope: token.scope)
        }
        if let name = request.certificateName { return Caller(name: name, scope: .admin) }
        return Caller(name: "local", scope: isLoopback && tokens.isEmpty && !knowsCertificates ? .admin : nil)
    }

    private static func bearer(_ value: String) -> String? {
        let parts = value.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    private var unknown: Problem {
        let wanted = knowsCertificates ? "a token or a client certificate" : "a token"
        var problem = Problem(
            401, "token.missing", "this needs \(wanted)", hint: "send a token as 'Authorization: Bearer TOKEN'")
        problem.headers = [("WWW-Authenticate", "Bearer realm=\"vtx\"")]
        return problem
    }
}

// MARK: Browsers

extension Gate {
    /// Checks the host name, against DNS rebinding: a page whose name was made to resolve to this host sends its own
    /// name.
    private func checkHost(_ request: HTTPRequest) throws(Problem) {
        guard let host = request.header("host").flatMap(Self.name(ofAuthority:)) else {
            throw Problem(400, "host.missing", "the request has no Host header")
        }
        // An address cannot be rebound. Without loopback, tokens protect: a caller without one gets nothing.
        guard isLoopback, !Self.isAddress(host), host != "localhost", !hostNames.contains(host) else { return }
        throw Problem(
            403, "host.unknown", "this service does not accept the host name '\(host)'",
            hint: "the server's option 'host-name' allows names")
    }

    /// Checks the origin. A page of another site can send requests from a browser, but always with these headers, and
    /// never with ours.
    private func checkOrigin(_ request: HTTPRequest, _ operation: Operation) throws(Problem) {
        guard !["GET", "HEAD", "OPTIONS"].contains(request.method), operation.scope != nil else { return }
        let site = request.header("sec-fetch-site")
        let origin = request.header("origin")
        guard site != nil || origin != nil || request.headers["cookie"] != nil else { return }
        let isForeign = site.map { !["same-origin", "none"].contains($0) } ?? false
        let isOther = origin.map { Self.name(ofOrigin: $0) != request.header("host") } ?? false
        guard !isForeign, !isOther, request.header("x-vtx-request") != nil else {
            throw Problem(
                403, "origin.foreign", "requests from another site's pages are not allowed",
                hint: "pages of this service send the header X-VTX-Request")
        }
    }

    /// Returns `host:port` of an origin.
    static func name(ofOrigin origin: String) -> String? {
        origin.split(separator: "/", omittingEmptySubsequences: true).last.map { String($0) }
    }

    static func name(ofAuthority authority: String) -> String? {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            return String(authority[authority.index(after: authority.startIndex)..<end]).lowercased()
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first, !host.isEmpty else { return nil }
        return host.lowercased()
    }

    static func isAddress(_ host: String) -> Bool { AddressPolicy.isPublic(host) != nil }
}
