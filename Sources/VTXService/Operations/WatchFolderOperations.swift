import VTXHTTP
import VTXJSON
import VTXJobs
import VTXTask

/// The operations on watch folders: directories whose files become jobs.
struct WatchFolderOperations: Sendable {
    let folders: WatchFolders

    var all: [Operation] { [list, get, put, remove] }

    private let name = Operation.Parameter(
        name: "name", place: .path, schema: .string(RecordName.rule), description: "The watch folder's name.",
        isRequired: true)

    private func json(_ name: String, _ folder: WatchFolder) throws -> JSONValue {
        var members = try JSONValue(encoding: folder).object ?? [:]
        members["name"] = .string(name)
        let problem = folders.problem(name)
        members["state"] = folder.enabled ? problem == nil ? "watching" : "failing" : "disabled"
        members["problem"] = problem.map { .string($0) }
        return .object(members)
    }

    private var list: Operation {
        let list = Schema.object(
            .init([.init("watchFolders", .array(of: WatchFolder.record, max: 1000), "By name.", required: true)]))
        return Operation(
            id: "listWatchFolders", method: "GET", path: "/v1/watch-folders", tag: "watch folders",
            summary: "List watch folders", scope: .read,
            responses: [.init(status: 200, description: "All watch folders.", schema: list)]
        ) { _ in .json(["watchFolders": .array(try folders.all().map { try json($0.name, $0.folder) })]) }
    }

    private var get: Operation {
        Operation(
            id: "getWatchFolder", method: "GET", path: "/v1/watch-folders/{name}", tag: "watch folders",
            summary: "Get a watch folder", scope: .read, parameters: [name],
            responses: [.init(status: 200, description: "The watch folder.", schema: WatchFolder.record), .missing]
        ) { call in .json(try json(call["name"], try folders.folder(call["name"]))) }
    }

    private var put: Operation {
        Operation(
            id: "putWatchFolder", method: "PUT", path: "/v1/watch-folders/{name}", tag: "watch folders",
            summary: "Create or change a watch folder",
            description:
                "A file becomes a job when the writing program closes it, when it is moved here, or when it has "
                + "not changed for a while. A change applies to new jobs.",
            scope: .admin, parameters: [name], body: .json(WatchFolder.schema),
            responses: [.init(status: 200, description: "The watch folder.", schema: WatchFolder.record)]
        ) { call in
            let folder: WatchFolder = try call.body.decoded()
            try folders.put(call["name"], folder)
            return .json(try json(call["name"], folder))
        }
    }

    private var remove: Operation {
        Operation(
            id: "deleteWatchFolder", method: "DELETE", path: "/v1/watch-folders/{name}", tag: "watch folders",
            summary: "Remove a watch folder", description: "Its jobs continue, and keep what it skips.", scope: .admin,
            parameters: [name],
            responses: [.init(status: 204, description: "It was removed.", type: nil), .missing]
        ) { call in
            try folders.remove(call["name"])
            return HTTPResponse(204)
        }
    }
}

extension WatchFolder {
    /// The schema of a request.
    fileprivate static var schema: Schema { .named("WatchFolderRequest", .object(.init(members))) }

    /// The schema of a response.
    fileprivate static var record: Schema {
        .named(
            "WatchFolder",
            .object(
                .init(
                    members + [
                        .init("name", .string(), "Its name.", required: true),
                        .init(
                            "state", .string(.init(words: ["watching", "failing", "disabled"])),
                            "Whether it is watched.",
                            required: true),
                        .init("problem", .string(), "Why it is not watched, or only in part."),
                    ])))
    }

    private static var members: [Schema.Member] { places + jobs + rules }

    private static var places: [Schema.Member] {
        let patterns = Schema.array(of: .string(.init(1...255)), max: 100)
        return [
            .init("path", Schema.path, "An absolute path below a root of the service.", required: true),
            .init("output", Schema.path, "Output directory. By default outputs are next to their sources."),
            .init("recursive", .boolean, "Also watch subdirectories.", default: true),
            .init("include", patterns, "Names with `*` and `?`. By default the usual extensions of video files."),
            .init("exclude", patterns, "Names with `*` and `?` to ignore."),
        ]
    }

    private static var jobs: [Schema.Member] {
        let label = Schema.StringRule(1...128)
        return [
            .init("settings", .settings, "How to encode. `overwrite` is `skip` by default."),
            .init("preset", .string(RecordName.rule), "Settings by name. Those of the folder take precedence."),
            .init(
                "priority", .integer(Int64(JobSpecification.priorities.lowerBound)...100), "Of its jobs.", default: 0),
            .init("labels", .map(of: .string(label), max: 32, names: label), "Of its jobs."),
        ]
    }

    private static var rules: [Schema.Member] {
        [
            .init("skip", skip, "Which files to skip."),
            .init(
                "settleSeconds", .number(0...3600),
                "The time without changes after which an unclosed file becomes a job, in seconds.", default: 10),
            .init("enabled", .boolean, "Whether it is watched.", default: true),
        ]
    }

    private static var skip: Schema {
        Schema.object(
            .init([
                .init(
                    "codecs", .array(of: .string(.init(words: SkippedCodecs.names)), max: 100),
                    "Sources with video of these codecs; `[]` for none. By default the codec of the output, if the "
                        + "picture would stay unchanged."),
                .init(
                    "minimumGain", .number(0...1),
                    "Files that would not get smaller by this fraction, before or after encoding: 0.1 is a tenth."),
            ]))
    }
}
