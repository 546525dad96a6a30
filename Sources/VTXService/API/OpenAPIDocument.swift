import VTXJSON

/// The description of the API (OpenAPI 3.1), from the table that the router uses.
enum OpenAPIDocument {
    static func json(_ operations: [Operation], version: String) -> JSONValue {
        let schemas = operations.flatMap(\.schemas).reduce(into: [String: JSONValue]()) { all, schema in
            all.merge(schema.definitions) { first, _ in first }
        }
        return [
            "openapi": "3.1.0",
            "info": ["title": "vtx", "version": .string(version), "description": "Transcodes video."],
            "paths": .object(paths(operations)),
            "components": [
                "schemas": .object(schemas), "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
            ],
        ]
    }

    private static func paths(_ operations: [Operation]) -> [String: JSONValue] {
        Dictionary(grouping: operations, by: \.path).mapValues { operations in
            .object(Dictionary(uniqueKeysWithValues: operations.map { ($0.method.lowercased(), $0.json) }))
        }
    }
}

extension Operation {
    fileprivate var schemas: [Schema] {
        let bodies: [Schema] = if case .json(let schema)? = body { [schema] } else { [] }
        return parameters.map(\.schema) + bodies + responses.compactMap(\.schema) + [Problem.schema]
    }

    fileprivate var json: JSONValue {
        var json: [String: JSONValue] = [
            "operationId": .string(id), "tags": [.string(tag)], "summary": .string(summary),
            "responses": .object(allResponses),
        ]
        if !description.isEmpty { json["description"] = .string(description) }
        if !parameters.isEmpty { json["parameters"] = .array(parameters.map(\.json)) }
        if scope != nil { json["security"] = [["token": []], [:]] }
        switch body {
        case .json(let schema):
            json["requestBody"] = ["required": true, "content": ["application/json": ["schema": schema.json]]]
        case .bytes(let type, let isRequired, _):
            json["requestBody"] = ["required": .bool(isRequired), "content": .object([type: [:]])]
        case nil: break
        }
        return .object(json)
    }

    /// Its own, and what any operation may answer.
    private var allResponses: [String: JSONValue] {
        var all = Dictionary(responses.map { (String($0.status), $0.json) }) { first, _ in first }
        all["default"] =
            Response(
                status: 0, description: "An error, with vtx's own code.", type: Problem.contentType,
                schema: Problem.schema
            ).json
        return all
    }
}

extension Operation.Response {
    fileprivate var json: JSONValue {
        var json: [String: JSONValue] = ["description": .string(description)]
        if let type { json["content"] = .object([type: schema.map { ["schema": $0.json] } ?? [:]]) }
        if !headers.isEmpty {
            json["headers"] = .object(headers.mapValues { ["description": .string($0), "schema": ["type": "string"]] })
        }
        return .object(json)
    }
}

extension Operation.Parameter {
    fileprivate var json: JSONValue {
        let schema: JSONValue = repeats ? ["type": "array", "items": self.schema.json] : self.schema.json
        return [
            "name": .string(name), "in": .string(place.rawValue), "required": .bool(isRequired || place == .path),
            "description": .string(description), "schema": schema,
        ]
    }
}
