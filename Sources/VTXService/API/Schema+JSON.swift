package import VTXJSON

extension Schema {
    /// As the OpenAPI document has it; what has a name is referred to.
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

    /// The named ones in it, with what they are.
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
