import VTXHTTP
import VTXJSON
import VTXJobs

/// The operations on clients' tokens.
struct TokenOperations: Sendable {
    let tokens: Tokens

    var all: [Operation] { [list, create, remove] }

    private static let members: [Schema.Member] = [
        .init("name", .string(), "For the audit log.", required: true),
        .init(
            "scope", .string(.init(words: Scope.allCases.map(\.rawValue))), "What its holder may do.", required: true),
        .init("createdAt", .string(.init(format: "date-time")), "When it was created.", required: true),
    ]
    private static let schema = Schema.named("Token", .object(.init(members)))
    private static let created = Schema.named(
        "NewToken",
        .object(.init(members + [.init("token", .string(), "The token itself, returned only here.", required: true)])))
    private static let conflict = Operation.Response(
        status: 409, description: "The name is taken, or no admin would be left.", type: Problem.contentType,
        schema: Problem.schema)

    private static func json(_ token: Tokens.Token, secret: String? = nil) -> JSONValue {
        .members([
            "name": .string(token.name), "scope": .string(token.scope.rawValue), "createdAt": .time(token.createdAt),
            "token": .text(secret),
        ])
    }

    private var list: Operation {
        let list = Schema.object(
            .init([.init("tokens", .array(of: Self.schema, max: 10_000), "By name.", required: true)]))
        return Operation(
            id: "listTokens", method: "GET", path: "/v1/tokens", tag: "tokens", summary: "List tokens", scope: .admin,
            responses: [.init(status: 200, description: "All tokens, without their secrets.", schema: list)]
        ) { [tokens] _ in .json(["tokens": .array(tokens.all.map { Self.json($0) })]) }
    }

    private var create: Operation {
        let body = Schema.object(
            .init([
                .init("name", .string(RecordName.rule), "For the audit log.", required: true),
                .init(
                    "scope", .string(.init(words: Scope.allCases.map(\.rawValue))),
                    "`read`, `submit` (and read), or `admin` (everything).", required: true),
            ]))
        return Operation(
            id: "createToken", method: "POST", path: "/v1/tokens", tag: "tokens", summary: "Create a token",
            description: "As soon as there is a token, every client needs one, so the first one must be an admin's.",
            scope: .admin, body: .json(.named("TokenRequest", body)),
            responses: [
                .init(status: 201, description: "The token. Its secret is returned only once.", schema: Self.created),
                Self.conflict,
            ]
        ) { [tokens] call in
            let secret = Tokens.makeSecret()
            let scope = call.body["scope"]?.string.flatMap(Scope.init) ?? .read
            let token = try tokens.create(call.body["name"]?.string ?? "", scope, secret: secret, at: .now)
            return .json(Self.json(token, secret: secret), 201)
        }
    }

    private var remove: Operation {
        Operation(
            id: "deleteToken", method: "DELETE", path: "/v1/tokens/{name}", tag: "tokens", summary: "Remove a token",
            description: "It is no longer accepted.", scope: .admin,
            parameters: [
                .init(
                    name: "name", place: .path, schema: .string(RecordName.rule), description: "The token's name.",
                    isRequired: true)
            ],
            responses: [.init(status: 204, description: "It was removed.", type: nil), .missing, Self.conflict]
        ) { [tokens] call in
            try tokens.revoke(call["name"])
            return HTTPResponse(204)
        }
    }
}
