import VTXJSON
import VTXMedia
import VTXSystem
import VTXTask

struct ImportPresetSettings: CommandSettings {
    var file = ""
    var replaces = false

    init() {}
}

extension Command {
    static let importPreset = Command(
        "import-preset", "import HandBrake presets",
        details: [
            "Reads a file exported by HandBrake (Presets, Export to File) and saves each preset for vtx transcode "
                + "--for. Settings without a counterpart are listed with the reason."
        ],
        grammar: Grammar<ImportPresetSettings>(
            positionals: [.required(.filePath("FILE"), into: \.file, "HandBrake's JSON file.")],
            groups: [
                OptionGroup(
                    "Options",
                    [.flag("overwrite", short: "y", sets: \.replaces, to: true, "Replace presets of the same name.")])
            ]),
        examples: [Example("vtx import-preset handbrake.json", "Then: vtx transcode in.mkv --for NAME")],
        run: { settings, console throws(UsageError) in
            let presets = try HandBrakePreset.all(inFile: settings.file)
            var code = ExitCode.success
            for (preset, name) in zip(presets, HandBrakePreset.fileNames(of: presets)) {
                do throws(TranscodeError) {
                    let path = try PresetFiles().write(preset, name, replaces: settings.replaces)
                    preset.lines(name, at: path).forEach { console.output.write($0.printable + "\n") }
                } catch {
                    // The remaining presets are still imported.
                    let failure = console.report(error, asJSON: false)
                    if code == .success { code = failure }
                }
            }
            return code
        })
}

extension HandBrakePreset {
    /// Even an export of hundreds of presets is smaller.
    private static let maxBytes = 1 << 22

    fileprivate static func all(inFile path: String) throws(UsageError) -> [HandBrakePreset] {
        let value = TextFile.read(path, limit: maxBytes).flatMap { try? JSONValue(parsing: $0) }
        guard let presets = value.map(all(in:)), !presets.isEmpty else {
            throw .badValue(
                path, for: "FILE", expected: "a file with presets exported by HandBrake", nearest: nil)
        }
        return presets
    }

    /// Makes names unique: `fast`, `fast-2`.
    static func fileNames(of presets: [HandBrakePreset]) -> [String] {
        var taken: Set<String> = []
        return presets.map { preset in
            let name = preset.fileName.isEmpty ? "preset" : preset.fileName
            let names = sequence(first: 1) { $0 + 1 }.lazy.map { $0 == 1 ? name : "\(name)-\($0)" }
            let free = names.first { !taken.contains($0) } ?? name
            taken.insert(free)
            return free
        }
    }

    /// The text for users: the path, the equivalent options, and what is missing.
    fileprivate func lines(_ fileName: String, at path: String) -> [String] {
        let options = (try? TranscodeRequest.settings(settings)).map(FlagSpelling.arguments) ?? []
        let lines = ["--for \(fileName)", path, options.joined(separator: " ")] + leftOut.map { "not imported: \($0)" }
        return [name] + lines.map { "  \($0)" }
    }
}

extension PresetFiles {
    /// - Returns: the path of its file.
    fileprivate func write(
        _ preset: HandBrakePreset, _ fileName: String, replaces: Bool
    ) throws(TranscodeError) -> String {
        guard let directory else {
            throw TranscodeError(
                .outputNotFound, "there is no directory for presets: neither XDG_CONFIG_HOME nor HOME is set")
        }
        let path = "\(directory)/\(fileName).json"
        let own = SettingsPreset(preset.settings, description: "\(preset.name), of HandBrake")
        do throws(SystemError) { try Directory.make(directory) } catch {
            throw TranscodeError(AtomicFileError.system(path: directory, error))
        }
        do throws(AtomicFileError) {
            try AtomicFile.write(JSONLine.text(own), to: path, replaces: replaces)
        } catch {
            var error = TranscodeError(error)
            if error.kind == .outputExists { error.hint = "--overwrite replaces it" }
            throw error
        }
        return path
    }
}
