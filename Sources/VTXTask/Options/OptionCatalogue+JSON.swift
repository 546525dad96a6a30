package import VTXJSON
import VTXMedia

extension OptionCatalogue {
    /// A problem with one setting, or with several together, in which case it has no name.
    package struct Problem: Sendable {
        package let name: String?
        package let error: TranscodeError
    }

    /// Returns all problems with JSON settings. Conflicts are only checked among valid values.
    package static func problems(in values: [String: JSONValue]) -> [Problem] {
        let problems = values.sorted { $0.key < $1.key }.compactMap { name, value in
            problem { () throws(TranscodeError) in _ = try option(named: name).text(value) }.map {
                Problem(name: name, error: $0)
            }
        }
        guard problems.isEmpty else { return problems }
        let contradiction = problem { () throws(TranscodeError) in
            _ = try TranscodeRequest(input: "", settings: TranscodeRequest.settings(values))
        }
        return contradiction.map { [Problem(name: nil, error: $0)] } ?? []
    }

    private static func problem(_ body: () throws(TranscodeError) -> Void) -> TranscodeError? {
        do throws(TranscodeError) { try body() } catch { return error }
        return nil
    }

    /// - Throws: `.unknownOption`, with a suggestion.
    static func option(named name: String) throws(TranscodeError) -> RequestOption {
        if let option = OptionName(rawValue: name).flatMap(option) { return option }
        let nearest = Suggestion.nearest(to: name, in: options.map(\.name.rawValue))
        throw TranscodeError(
            .unknownOption, "there is no option '\(name)'", hint: nearest.map { "did you mean '\($0)'?" })
    }

    /// The schema of a request's `settings` (JSON Schema, draft 2020-12).
    package static var schema: JSONValue {
        [
            "type": "object", "additionalProperties": false,
            "properties": .object(
                Dictionary(uniqueKeysWithValues: options.map { ($0.name.rawValue, .object($0.schema)) })),
            "dependentRequired": .object(
                Dictionary(grouping: requirements) { $0.option.rawValue }.mapValues {
                    .array($0.map { .string($0.needs.rawValue) })
                }),
            "not": ["anyOf": .array(exclusive.map { ["required": .array($0.map { .string($0.rawValue) })] })],
        ]
    }

    /// The schema as a separate document.
    package static var schemaDocument: JSONValue {
        var members = schema.object ?? [:]
        members["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        members["title"] = "The settings of a transcode"
        return .object(members)
    }
}

extension RequestOption {
    fileprivate var schema: [String: JSONValue] {
        var schema = value.schema
        schema["description"] = .string("\(help)")
        if let defaultText { schema["default"] = value.json(defaultText) }
        return schema
    }
}
