package import VTXJSON

/// The OpenAPI 3.1 description of the API, generated from the router's table of operations.
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
        let bodies: [Schema] = if case .json(let schema, _)? = body { [schema] } else { [] }
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
        case .json(let schema, let isRequired):
            json["requestBody"] = [
                "required": .bool(isRequired), "content": ["application/json": ["schema": schema.json]],
            ]
        case .bytes(let type, let isRequired, _):
            json["requestBody"] = ["required": .bool(isRequired), "content": .object([type: [:]])]
        case nil: break
        }
        return .object(json)
    }

    /// The operation's own responses, and those that any operation may return.
    private var allResponses: [String: JSONValue] {
        var all = Dictionary(responses.map { (String($0.status), $0.json) }) { first, _ in first }
        all["default"] =
            Response(
                status: 0, description: "An error with a code of vtx.", type: Problem.contentType,
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

extension Schema {
    /// The schema in the OpenAPI document. Named schemas are references.
    package var json: JSONValue {
        switch self {
        case .anything: [:]
        case .boolean: ["type": "boolean"]
        case .string(let rule): rule.json
        case .integer(let range):
            ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
        case .number(let range):
            ["type": "number", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)]
        case .array(let element, let max): ["type": "array", "items": element.json, "maxItems": .integer(Int64(max))]
        case .object(let object): object.json
        case .map(let element, let max, let names):
            [
                "type": "object", "additionalProperties": element.json, "maxProperties": .integer(Int64(max)),
                "propertyNames": names.json,
            ]
        case .oneOf(let choices): ["anyOf": .array(choices.map(\.json))]
        case .named(let name, _): ["$ref": .string("#/components/schemas/\(name)")]
        case .nullable(let schema): ["anyOf": [schema.json, ["type": "null"]]]
        case .checked(let json, _): json
        }
    }

    /// The named schemas in it, with their definitions.
    package var definitions: [String: JSONValue] {
        switch self {
        case .named(let name, let schema): schema.definitions.merging([name: schema.json]) { first, _ in first }
        case .array(let element, _), .map(let element, _, _), .nullable(let element): element.definitions
        case .object(let object): Self.definitions(object.members.map(\.schema))
        case .oneOf(let choices): Self.definitions(choices)
        case .anything, .boolean, .string, .integer, .number, .checked: [:]
        }
    }

    private static func definitions(_ schemas: [Schema]) -> [String: JSONValue] {
        schemas.reduce(into: [:]) { all, schema in all.merge(schema.definitions) { first, _ in first } }
    }
}

extension Schema.StringRule {
    fileprivate var json: JSONValue {
        var json: [String: JSONValue] = ["type": "string"]
        if !words.isEmpty { json["enum"] = .array(words.map { .string($0) }) }
        if words.isEmpty {
            if length.lowerBound > 0 { json["minLength"] = .integer(Int64(length.lowerBound)) }
            json["maxLength"] = .integer(Int64(length.upperBound))
        }
        if let format { json["format"] = .string(format) }
        if let pattern { json["pattern"] = .string(pattern) }
        return .object(json)
    }
}

extension Schema.Object {
    fileprivate var json: JSONValue {
        var json: [String: JSONValue] = ["type": "object"]
        json["properties"] = .object(
            Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.json) }))
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { json["required"] = .array(required) }
        if !isOpen { json["additionalProperties"] = false }
        if exactlyOne { (json["minProperties"], json["maxProperties"]) = (1, 1) }
        return .object(json)
    }
}

extension Schema.Member {
    fileprivate var json: JSONValue {
        var json = schema.json.object ?? [:]
        json["description"] = .string(description)
        if let defaultValue { json["default"] = defaultValue }
        return .object(json)
    }
}
