import VTXJSON
import VTXMedia
import VTXTask

extension Schema {
    // Paths and URLs are checked further where they are used, with their own error codes.

    /// An absolute path.
    static let path = string(.init(1...4096, pattern: "^/"))
    static let url = string(.init(1...4096, format: "uri", pattern: "^[hH][tT][tT][pP][sS]?://"))

    /// Settings that only the command supports, with the reason.
    private static let refused: [(name: OptionName, reason: String)] = [
        // Filters read and write any file that their text names.
        (.filter, "a job may not have its own filters, which can read and write files; `vtx transcode` may"),
        (.skipCodecs, "a job is run as it is asked for; the rule of a watch folder skips sources"),
    ]

    /// The catalog's schema without those.
    private static var offered: JSONValue {
        var schema = OptionCatalogue.schema.object ?? [:]
        let names = Set(refused.map(\.name.rawValue))
        schema["properties"] = .object((schema["properties"]?.object ?? [:]).filter { !names.contains($0.key) })
        return .object(schema)
    }

    /// The `settings` of a job: the options of the catalog, validated as `vtx transcode` does.
    static let settings = named(
        "Settings",
        .checked(json: offered) { value, pointer in
            guard let values = value.object else { return [Schema.anything.wrong(value, "an object", pointer)] }
            let names = Schema.refused.filter { values[$0.name.rawValue] != nil }
            let refused = names.map { SchemaProblem(pointer + "/" + $0.name.rawValue, $0.reason, isSentence: true) }
            return OptionCatalogue.problems(in: values).map { SchemaProblem($0, below: pointer) } + refused
        })
}

extension SchemaProblem {
    fileprivate init(_ problem: OptionCatalogue.Problem, below pointer: String) {
        let hint = problem.error.hint.map { "; \($0)" } ?? ""
        self.init(
            pointer + (problem.name.map { "/" + $0.pointerEscaped } ?? ""), "\(problem.error.message)\(hint)",
            isSentence: true)
    }
}
