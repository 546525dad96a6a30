import VTXJSON
import VTXMedia
import VTXSystem
import VTXTask

/// The presets for `--for`: the built-in ones, and the user's, one per file. The user's take precedence.
struct PresetFiles {
    /// nil without a home directory.
    var directory = Directory.configuration.map { "\($0)/presets" }

    /// A larger file is not a preset.
    private static let maxBytes = 1 << 16

    var names: [String] {
        let own = directory.map { Directory.names(in: $0) } ?? []
        let stems = own.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
        return Set(stems + SettingsPreset.Name.allCases.map(\.rawValue)).sorted()
    }

    /// - Throws: `.badValue` if there is none with that name, and for a file without settings.
    func preset(named name: String) throws(UsageError) -> SettingsPreset {
        if let path = path(name), let text = TextFile.read(path, limit: Self.maxBytes) { return try read(text, path) }
        if let known = SettingsPreset.Name(rawValue: name) { return SettingsPreset(known) }
        throw .badValue(
            name, for: "--for", expected: "\(alternatives(names))",
            nearest: Suggestion.nearest(to: name, in: names))
    }

    private func path(_ name: String) -> String? {
        guard !name.contains("/"), !name.hasPrefix("."), let directory else { return nil }
        return "\(directory)/\(name).json"
    }

    private func read(_ text: String, _ path: String) throws(UsageError) -> SettingsPreset {
        guard let value = try? JSONValue(parsing: text), let preset: SettingsPreset = try? value.decoded() else {
            throw .badValue(
                path, for: "--for", expected: "a file such as {\"settings\": {\"codec\": \"hevc\"}}", nearest: nil)
        }
        return preset
    }
}

extension TranscodeSettings {
    /// The named output file.
    private var namedOutput: String? {
        if joinsInputs { return furtherInputs.last ?? request.output }
        return outputDirectory == nil ? request.output : nil
    }

    /// Applies the preset's settings that the command line does not override.
    func applyingPreset(_ files: PresetFiles = PresetFiles()) throws(UsageError) -> TranscodeSettings {
        guard let presetName else { return self }
        let preset = try files.preset(named: presetName)
        // Options explicitly set to their default also override.
        let (names, values) = (optionArguments.compactMap(FlagSpelling.option).map(\.rawValue), request.jsonSettings)
        let given = Dictionary(names.map { ($0, values[$0] ?? .null) }) { first, _ in first }
        let added = preset.settings(with: given, output: namedOutput).filter { given[$0.key] == nil }
        var applied = self
        do throws(TranscodeError) {
            let texts = try TranscodeRequest.settings(added)
            // Options on which the value of another one depends come first.
            for option in OptionCatalogue.options {
                if let text = texts[option.name] { _ = option.takes(text, into: &applied.request) }
            }
        } catch {
            var error = error
            error.message = "--for \(presetName): " + error.message
            throw .request(error)
        }
        return applied
    }
}
