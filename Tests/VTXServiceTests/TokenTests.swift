import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("Tokens")
struct TokenTests {
    private let directory: TestDirectory
    private let service: TestService
    private let admin = (name: "Authorization", value: "Bearer 0123456789abcdef")

    init() throws {
        directory = try TestDirectory()
        service = try TestService(directory, token: "0123456789abcdef")
    }

    private func token(_ name: String, _ scope: String) throws -> (name: String, value: String) {
        let body: JSONValue = ["name": .string(name), "scope": .string(scope)]
        let answer = try service.ask("POST", "/v1/tokens", body, [admin])
        #expect(answer.status == 201)
        return ("Authorization", "Bearer \(answer.body["token"]?.string ?? "")")
    }

    @Test(
        "a token allows only its scope",
        arguments: [("read", [200, 403, 403]), ("submit", [200, 404, 403]), ("admin", [200, 404, 200])])
    func scopes(scope: String, statuses: [Int]) throws {
        let header = try token("client", scope)
        #expect(try service.ask("GET", "/v1/jobs", nil, [header]).status == statuses[0])
        #expect(try service.ask("DELETE", "/v1/jobs/00000000000000000000", nil, [header]).status == statuses[1])
        #expect(try service.ask("GET", "/v1/tokens", nil, [header]).status == statuses[2])
    }

    @Test("a removed token allows nothing, and names are unique")
    func life() throws {
        let header = try token("client", "read")
        let again = try service.ask("POST", "/v1/tokens", ["name": "client", "scope": "admin"], [admin])
        #expect((again.status, again.body["code"]?.string) == (409, "token.exists"))
        #expect(try service.send("DELETE", "/v1/tokens/client", [], [admin]).status == 204)
        #expect(try service.ask("GET", "/v1/jobs", nil, [header]).status == 401)
        #expect(try service.send("DELETE", "/v1/tokens/client", [], [admin]).status == 404)
    }

    @Test("neither the list nor the store has secrets")
    func secrets() throws {
        let header = try token("client", "read")
        let secret = String(header.value.dropFirst("Bearer ".count))
        #expect(secret.utf8.count > 40)
        let list = try service.ask("GET", "/v1/tokens", nil, [admin]).body
        #expect(list["tokens"]?.array?.compactMap { $0["name"]?.string } == ["client", "server"])
        #expect(!list.text.contains(secret))
        service.stop()
        let store = try SQLiteStore(path: directory.file("state/vtx.db"))
        let stored = try store.records(RecordCollections.tokens)
        #expect(stored.count == 2)
        #expect(!stored.contains { $0.value.text.contains(secret) || $0.value.text.contains("0123456789abcdef\"") })
        store.close()
    }

    @Test("the last admin token cannot be removed")
    func lastAdmin() throws {
        _ = try token("client", "read")
        let answer = try service.ask("DELETE", "/v1/tokens/server", nil, [admin])
        #expect((answer.status, answer.body["code"]?.string) == (409, "token.lastAdmin"))
        let other = try TestDirectory()
        let open = try TestService(other)
        let first = try open.ask("POST", "/v1/tokens", ["name": "client", "scope": "submit"])
        #expect((first.status, first.body["code"]?.string) == (409, "token.lastAdmin"))
    }

    private func tokens() throws -> Tokens {
        let tokens = try Tokens(try SQLiteStore(path: directory.file("tokens.db")))
        try tokens.add("one", .admin, secret: "0123456789abcdef", at: .now)
        return tokens
    }

    /// The response to an invalid token.
    private func guess(_ tokens: Tokens, at uptime: Double, from address: String = "10.0.0.1") -> Problem? {
        do throws(Problem) { _ = try tokens.check("a guess", from: address, at: uptime) } catch { return error }
        return nil
    }

    @Test("guessing is throttled for the guessing client")
    func guessing() throws {
        let tokens = try tokens()
        for second in 0..<10 { #expect(guess(tokens, at: Double(second))?.status == 401) }
        let locked = try #require(guess(tokens, at: 20))
        #expect(locked.status == 429 && locked.headers.first { $0.name == "Retry-After" }?.value == "40")
        #expect(locked.hint?.contains("40 s") == true)
        #expect(guess(tokens, at: 20, from: "10.0.0.2")?.status == 401)
        for second in 60..<70 { #expect(guess(tokens, at: Double(second))?.status == 401) }
        #expect(guess(tokens, at: 70)?.status == 429)
    }

    @Test("guessing through a proxy does not lock out clients with a token")
    func proxied() throws {
        let tokens = try tokens()
        for _ in 0..<20 { _ = guess(tokens, at: 0) }
        #expect(guess(tokens, at: 1)?.status == 429)
        #expect(try tokens.check("0123456789abcdef", from: "10.0.0.1", at: 1).name == "one")
    }
}
