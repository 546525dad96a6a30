import VTXJSON
package import VTXJobs
import VTXSystem

/// The clients' tokens. Only their digests are stored. A token has 256 random bits, which cannot be derived from its
/// digest.
package final class Tokens: Sendable {
    package struct Token: Sendable, Hashable, Codable {
        package var name: String
        package var scope: Scope
        package var digest: String
        package var createdAt: Timestamp
    }

    private struct State {
        var tokens: [String: Token] = [:]
        /// The number of failures of an address, and when its minute began, in seconds.
        var failures: [String: (count: Int, at: Double)] = [:]

        /// Counts an invalid token and returns the error.
        mutating func problem(from address: String, at uptime: Double) -> Problem {
            if failures.count > 10000 { failures = [:] }
            var failed = failures[address] ?? (0, uptime)
            if uptime - failed.at >= Tokens.lockSeconds { failed = (0, uptime) }
            failed.count += 1
            failures[address] = failed
            guard failed.count > Tokens.freeFailures else {
                return Problem(401, "token.invalid", "the token is not valid")
            }
            let seconds = Int((Tokens.lockSeconds - (uptime - failed.at)).rounded(.up))
            var problem = Problem(
                429, "token.locked", "too many invalid tokens from this address",
                hint: "wait \(seconds) s before the next attempt; a valid token is accepted at once")
            problem.headers = [("Retry-After", "\(seconds)")]
            return problem
        }
    }

    private let state: Locked<State>
    private let records: any RecordStore

    /// The name of the token that the server's options set, and that is removed without it.
    package static let ofServer = "server"
    /// The number of failures of one address per minute without a penalty: a typing error is not an attack.
    private static let freeFailures = 10
    private static let lockSeconds = 60.0

    package init(_ records: any RecordStore) throws(StoreError) {
        self.records = records
        var state = State()
        for (_, value) in try records.records(RecordCollections.tokens) {
            guard let token = Token(value) else { continue }
            state.tokens[token.digest] = token
        }
        self.state = Locked(state)
    }

    package var isEmpty: Bool { state.withLock { $0.tokens.isEmpty } }
    package var all: [Token] { state.withLock { $0.tokens.values.sorted { $0.name < $1.name } } }

    package static func digest(_ secret: String) -> String { SHA256.hexadecimal(secret.utf8) }

    /// Returns a new secret, which is shown only once.
    package static func makeSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return "vtx_" + bytes.hexadecimal
    }

    /// Adds a token for a client's request.
    ///
    /// - Throws: if the name is taken, or if there would be tokens but no admin token.
    func create(_ name: String, _ scope: Scope, secret: String, at now: Timestamp) throws -> Token {
        let all = all
        guard !all.contains(where: { $0.name == name }) else {
            throw Problem(409, "token.exists", "there is a token '\(name)' already")
        }
        guard name != Self.ofServer else {
            throw Problem(409, "token.reserved", "'\(name)' is the name of the server's own token")
        }
        guard scope == .admin || all.contains(where: { $0.scope == .admin }) else { throw Self.lastAdmin }
        try add(name, scope, secret: secret, at: now)
        return Token(name: name, scope: scope, digest: Self.digest(secret), createdAt: now)
    }

    /// Removes a token.
    func revoke(_ name: String) throws {
        let all = all
        guard all.contains(where: { $0.name == name }) else { throw Problem.notFound("token", name) }
        let rest = all.filter { $0.name != name }
        guard rest.isEmpty || rest.contains(where: { $0.scope == .admin }) else { throw Self.lastAdmin }
        _ = try remove(name)
    }

    private static var lastAdmin: Problem {
        Problem(409, "token.lastAdmin", "there would be no token with the scope 'admin'", hint: "make one first")
    }

    /// Adds a token, or replaces its secret.
    package func add(_ name: String, _ scope: Scope, secret: String, at now: Timestamp) throws(StoreError) {
        let token = Token(name: name, scope: scope, digest: Self.digest(secret), createdAt: now)
        try records.put(token.json, RecordCollections.tokens, name)
        state.withLock { state in
            state.tokens = state.tokens.filter { $0.value.name != name }
            state.tokens[token.digest] = token
        }
    }

    package func remove(_ name: String) throws(StoreError) -> Bool {
        state.withLock { state in state.tokens = state.tokens.filter { $0.value.name != name } }
        return try records.removeRecord(RecordCollections.tokens, name)
    }

    /// Returns the token of a secret. A valid one always works: through a proxy, all clients have the same address, and
    /// a stranger must not lock out the others.
    ///
    /// - Throws: if it is unknown, with the time to wait after too many failures.
    package func check(_ secret: String, from address: String, at uptime: Double) throws(Problem) -> Token {
        let digest = Self.digest(secret)
        let found = state.withLock { state -> Result<Token, Problem> in
            if let token = Self.token(digest, in: state.tokens) { return .success(token) }
            return .failure(state.problem(from: address, at: uptime))
        }
        return try found.get()
    }

    /// Compares with all tokens in constant time.
    private static func token(_ digest: String, in tokens: [String: Token]) -> Token? {
        tokens.values.reduce(nil) { found, token in
            HMAC.areEqual(Array(token.digest.utf8), Array(digest.utf8)) ? token : found
        }
    }
}

extension Tokens.Token {
    fileprivate init?(_ value: JSONValue) {
        guard let name = value["name"]?.string, let scope = value["scope"]?.string.flatMap(Scope.init),
            let digest = value["digest"]?.string, let time = value["createdAt"]?.string.flatMap(Timestamp.init)
        else { return nil }
        self.init(name: name, scope: scope, digest: digest, createdAt: time)
    }

    fileprivate var json: JSONValue {
        [
            "name": .string(name), "scope": .string(scope.rawValue), "digest": .string(digest),
            "createdAt": .string(createdAt.description),
        ]
    }
}
