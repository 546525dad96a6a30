import VTXJSON
import VTXJobs
import VTXTask

/// The stored presets.
struct Presets: Sendable {
    let records: any RecordStore

    /// - Throws: if there is no preset of that name, and for settings that cannot be combined.
    ///
    /// - Parameter output: The path or URL of the output; nil if the name follows from the input's.
    func settings(
        _ own: [String: JSONValue], preset name: String?, output: String? = nil
    ) throws -> [String: JSONValue] {
        guard let name else { return own }
        let kept: SettingsPreset? = try records.record(RecordCollections.presets, name)?.decoded()
        guard let preset = kept ?? SettingsPreset.Name(rawValue: name).map(SettingsPreset.init) else {
            throw Problem(422, "preset.notFound", "there is no preset '\(name)'")
        }
        let settings = preset.settings(with: own, output: output)
        let problems = Schema.settings.problems(with: .object(settings), at: "/settings")
        if !problems.isEmpty { throw Problem.invalid(problems) }
        return settings
    }
}

extension SettingsPreset {
    static var schema: Schema {
        .named(
            "Preset",
            .object(
                .init([
                    .init("settings", .settings, "How to encode.", required: true),
                    .init("description", .string(.init(0...1000)), "A description for users."),
                ])))
    }
}
