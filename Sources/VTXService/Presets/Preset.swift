import VTXHTTP
import VTXJSON
import VTXJobs
import VTXMedia
import VTXTask

/// Settings with a name.
struct Preset: Sendable, Hashable, Codable {
    var settings: [String: JSONValue]
    var description: String?

    static let names = Schema.StringRule(
        1...64, pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
        accepts: { name in
            name.first.map { $0 != "." && $0 != "_" && $0 != "-" } ?? false
                && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
        })

    static var schema: Schema {
        .named(
            "Preset",
            .object(
                .init([
                    .init("settings", .settings, "How to encode.", required: true),
                    .init("description", .string(.init(0...1000)), "For people."),
                ])))
    }

    /// A job's own settings count more, also where they contradict the preset's.
    func settings(with own: [String: JSONValue]) -> [String: JSONValue] {
        var kept = settings
        for rivals in OptionCatalogue.exclusive.map({ $0.map(\.rawValue) })
        where rivals.contains(where: { own[$0] != nil }) {
            rivals.forEach { kept[$0] = nil }
        }
        for (option, needs) in OptionCatalogue.requirements
        where kept[needs.rawValue] == nil && own[needs.rawValue] == nil {
            kept[option.rawValue] = nil
        }
        return kept.merging(own) { _, own in own }
    }
}

/// The presets that there are.
struct Presets: Sendable {
    let records: any RecordStore

    /// - Throws: where there is none of that name, and for settings that cannot be used together.
    func settings(_ own: [String: JSONValue], preset name: String?) throws -> [String: JSONValue] {
        guard let name else { return own }
        guard let preset: Preset = try records.record(RecordCollections.presets, name)?.decoded() else {
            throw Problem(422, "preset.notFound", "there is no preset '\(name)'")
        }
        let settings = preset.settings(with: own)
        let problems = Schema.settings.problems(with: .object(settings), at: "/settings")
        if !problems.isEmpty { throw Problem.invalid(problems) }
        return settings
    }
}
