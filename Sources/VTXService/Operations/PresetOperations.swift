import VTXHTTP
import VTXJSON
import VTXJobs
import VTXMedia
import VTXTask

/// The operations on presets: named settings for jobs.
struct PresetOperations: Sendable {
    let records: any RecordStore

    var all: [Operation] { [list, get, put, remove] }

    private let name = Operation.Parameter(
        name: "name", place: .path, schema: .string(RecordName.rule), description: "The preset's name.",
        isRequired: true)

    private static let schema = Schema.named(
        "NamedPreset",
        .object(
            .init([
                .init("name", .string(), "Its name.", required: true),
                .init("settings", .settings, "How to encode.", required: true),
                .init("description", .string(), "A description for users."),
                .init("isBuiltIn", .boolean, "Whether it is built in."),
            ])))

    private static func json(_ name: String, _ value: JSONValue) -> JSONValue {
        var members = value.object ?? [:]
        members["name"] = .string(name)
        return .object(members)
    }

    /// The presets of the command, which every service has. A stored one of the same name takes precedence.
    private static let builtIn = Dictionary(
        uniqueKeysWithValues: SettingsPreset.Name.allCases.map { name in
            let preset = SettingsPreset(name)
            let value = JSONValue.members([
                "settings": .object(preset.settings), "description": .text(preset.description), "isBuiltIn": true,
            ])
            return (name.rawValue, value)
        })

    private var list: Operation {
        let list = Schema.object(
            .init([.init("presets", .array(of: Self.schema, max: 10_000), "By name.", required: true)]))
        return Operation(
            id: "listPresets", method: "GET", path: "/v1/presets", tag: "presets", summary: "List presets",
            scope: .read, responses: [.init(status: 200, description: "All presets.", schema: list)]
        ) { [records] _ in
            let made = try records.records(RecordCollections.presets).map { ($0.name, $0.value) }
            let all = Self.builtIn.merging(made) { $1 }.sorted { $0.key < $1.key }
            return .json(["presets": .array(all.map { Self.json($0.key, $0.value) })])
        }
    }

    private var get: Operation {
        Operation(
            id: "getPreset", method: "GET", path: "/v1/presets/{name}", tag: "presets", summary: "Get a preset",
            scope: .read, parameters: [name],
            responses: [.init(status: 200, description: "The preset.", schema: Self.schema), .missing]
        ) { [records] call in
            let made = try records.record(RecordCollections.presets, call["name"])
            guard let value = made ?? Self.builtIn[call["name"]] else {
                throw Problem.notFound("preset", call["name"])
            }
            return .json(Self.json(call["name"], value))
        }
    }

    private var put: Operation {
        Operation(
            id: "putPreset", method: "PUT", path: "/v1/presets/{name}", tag: "presets",
            summary: "Create or change a preset",
            description: "Already submitted jobs keep its earlier settings.", scope: .admin,
            parameters: [name], body: .json(SettingsPreset.schema),
            responses: [.init(status: 200, description: "The preset.", schema: Self.schema)]
        ) { [records] call in
            try records.put(call.body, RecordCollections.presets, call["name"])
            return .json(Self.json(call["name"], call.body))
        }
    }

    private var remove: Operation {
        Operation(
            id: "deletePreset", method: "DELETE", path: "/v1/presets/{name}", tag: "presets",
            summary: "Remove a preset", scope: .admin, parameters: [name],
            responses: [
                .init(status: 204, description: "It was removed.", type: nil), .missing,
                .init(
                    status: 409, description: "It is built in.", type: Problem.contentType, schema: Problem.schema),
            ]
        ) { [records] call in
            guard try records.removeRecord(RecordCollections.presets, call["name"]) else {
                if Self.builtIn[call["name"]] != nil {
                    throw Problem(409, "preset.builtIn", "the preset '\(call["name"])' is built in, and stays")
                }
                throw Problem.notFound("preset", call["name"])
            }
            return HTTPResponse(204)
        }
    }
}

extension Operation.Response {
    static let missing = Operation.Response(
        status: 404, description: "It does not exist.", type: Problem.contentType, schema: Problem.schema)
}
