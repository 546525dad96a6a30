package import VTXHTTP

/// The rules for clients' URLs. The service must not fetch from, or send to, anything that only this host can reach
/// (server-side request forgery).
package struct URLRules: Sendable, Hashable {
    /// Hosts that may be used by HTTPS at public addresses; `*` matches any, `.example.com` any subdomain.
    package var hosts: [String]
    /// Hosts that may have private addresses and may be used without TLS.
    package var privateHosts: [String]

    package init(hosts: [String] = [], privateHosts: [String] = []) {
        (self.hosts, self.privateHosts) = (hosts, privateHosts)
    }

    /// How an allowed URL may be used.
    package struct Access: Sendable, Hashable {
        package var addresses: AddressPolicy
        package var allowsPlainHTTP: Bool
    }

    /// - Returns: a request that keeps the rules. It uses no proxy of the environment, which would see the keys in URLs.
    /// - Throws: if the URL is invalid or not allowed.
    func request(_ method: String, _ url: String, _ what: String) throws(Problem) -> HTTPClient.Request {
        let access = try check(url, what)
        var request = HTTPClient.Request(method, url)
        (request.addresses, request.allowsPlainHTTP) = (access.addresses, access.allowsPlainHTTP)
        request.usesProxies = false
        return request
    }

    /// - Parameter what: The subject for messages: `source`.
    /// - Throws: if the URL is invalid or not allowed.
    package func check(_ url: String, _ what: String) throws(Problem) -> Access {
        guard let parts = URLParts(url) else {
            throw Problem(422, "url.invalid", "the \(what) must be an http or https URL without a user name")
        }
        if Self.any(of: privateHosts, is: parts.host) { return Access(addresses: .any, allowsPlainHTTP: true) }
        guard Self.any(of: hosts, is: parts.host) else { throw forbidden(parts.host, what) }
        guard parts.scheme == "https" else {
            throw Problem(
                403, "url.plain", "the \(what) must be https", hint: "'\(parts.host)' is not allowed as a private host")
        }
        guard AddressPolicy.isPublic(parts.host) != false else {
            throw Problem(403, "url.private", "the \(what) has an address that is not public")
        }
        return Access(addresses: .publicOnly, allowsPlainHTTP: false)
    }

    private func forbidden(_ host: String, _ what: String) -> Problem {
        let all = hosts + privateHosts
        return Problem(
            403, "url.forbidden", "the host '\(host)' is not allowed for a \(what)",
            hint: all.isEmpty
                ? "the server allows none; its option 'url-host' allows some"
                : "allowed: \(all.joined(separator: ", "))"
        )
    }

    private static func any(of patterns: [String], is host: String) -> Bool {
        patterns.contains { pattern in
            let pattern = pattern.lowercased()
            return pattern == "*" || pattern == host || pattern.hasPrefix(".") && host.hasSuffix(pattern)
        }
    }
}

/// The parts of a URL that determine where a request goes (RFC 3986). Strict: a URL that two programs could interpret
/// differently is invalid.
struct URLParts: Sendable, Hashable {
    var scheme: String
    /// In lower case, IPv6 without brackets.
    var host: String
    /// Scheme, host and port, as written.
    var origin: String
    /// Including the query.
    var path: String

    init?(_ url: String) {
        guard url.utf8.count <= 4096, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }),
            let separator = url.firstRange(of: "://")
        else { return nil }
        scheme = url[..<separator.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let end = url[separator.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        guard let host = Self.host(url[separator.upperBound..<end]) else { return nil }
        self.host = host
        origin = String(url[..<end])
        path = String(url[end...])
    }

    /// - Returns: nil also if there is a user name, because a password in a URL ends up in logs.
    private static func host(_ authority: Substring) -> String? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]"), isPort(authority[authority.index(after: end)...]) else {
                return nil
            }
            let address = String(authority[authority.index(after: authority.startIndex)..<end])
            return AddressPolicy.isPublic(address) == nil ? nil : address.lowercased()
        }
        let colon = authority.firstIndex(of: ":") ?? authority.endIndex
        let host = authority[..<colon].lowercased()
        guard isPort(authority[colon...]), !host.isEmpty,
            host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) })
        else { return nil }
        // 0x7f.1, 2130706433 and 127.1 are addresses to some resolvers; only four decimal numbers are to all.
        let last = host.split(separator: ".").last ?? ""
        if last.allSatisfy(\.isNumber) || last.hasPrefix("0x"), AddressPolicy.isPublic(host) == nil { return nil }
        return host
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.first == ":" && UInt16(text.dropFirst()) ?? 0 > 0
    }

    /// Whether a reference begins with a scheme: `://` may also be in its query.
    private static func hasScheme(_ reference: String) -> Bool {
        guard let end = reference.firstRange(of: "://")?.lowerBound, reference.first?.isLetter == true else {
            return false
        }
        return reference[..<end].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    /// Returns the target of a redirect, as far as servers use RFC 3986, section 5.
    func following(_ location: String) -> String {
        if Self.hasScheme(location) { return location }
        if location.hasPrefix("//") { return "\(scheme):\(location)" }
        if location.hasPrefix("/") { return origin + location }
        let plain = path.prefix { $0 != "?" && $0 != "#" }
        let directory = plain.lastIndex(of: "/").map { plain[...$0] } ?? "/"
        return origin + directory + location
    }
}

/// URLs without secrets.
enum URLText {
    /// Removes the query, which is the key of a presigned URL, and any password.
    static func withoutSecrets(_ url: String) -> String {
        var text = url
        if let query = text.firstIndex(of: "?") { text = text[..<query] + "?..." }
        if let scheme = text.firstRange(of: "://"), let at = text[scheme.upperBound...].firstIndex(of: "@"),
            !text[scheme.upperBound..<at].contains("/")
        {
            text.replaceSubrange(scheme.upperBound...at, with: "...@")
        }
        return text
    }
}
