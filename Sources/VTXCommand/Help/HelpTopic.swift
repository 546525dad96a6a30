import VTXJSON
import VTXMedia
import VTXTask

/// Topics of help besides commands: all codes, and options in JSON.
enum HelpTopic: String, CaseIterable {
    case errors
    case notices
    case presets
    case settings
    case schema
    case receipt

    /// A Markdown table; a schema is JSON.
    var markdown: String {
        if let schema { return schema.text + "\n" }
        let cells = table.map { row in row.map { $0.replacing("|", with: "\\|") } }
        let rows = [header, header.map { _ in "---" }] + cells
        return rows.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }

    /// A code or setting per line, with its meaning below; a schema is JSON.
    func text(width: Int) -> String {
        if let schema { return schema.text + "\n" }
        return table.map { row in
            let cells = self == .settings ? [row[2], "Takes \(row[1])."] : row.dropFirst().filter { !$0.isEmpty }
            let words = cells.joined(separator: " ").replacing("`", with: "")
            return row[0].replacing("`", with: "") + "\n" + words.wrapped(to: width - 4).map { "    \($0)\n" }.joined()
        }.joined()
    }

    private var schema: JSONValue? {
        switch self {
        case .schema: OptionCatalogue.schemaDocument
        case .receipt: Receipt.schema
        case .errors, .notices, .presets, .settings: nil
        }
    }

    private var header: [String] {
        switch self {
        case .errors: ["Code", "Exit code", "Meaning", "Remedy"]
        case .notices: ["Code", "Kind", "Meaning"]
        case .presets: ["Preset", "Purpose", "Options"]
        case .settings: ["Setting", "Value", "Meaning"]
        case .schema, .receipt: []
        }
    }

    private var table: [[String]] {
        switch self {
        case .errors:
            ErrorKind.allCases.map { kind in
                let (meaning, remedy) = kind.documentation
                return ["`\(kind.rawValue)`", "\(ExitCode(kind.category).rawValue)"]
                    + [meaning, remedy].map { $0.withFlagsInCode }
            }
        case .notices:
            NoticeKind.allCases.map { ["`\($0.rawValue)`", $0.category.rawValue, $0.meaning.withFlagsInCode] }
        case .presets: SettingsPreset.Name.allCases.map(\.row)
        case .settings: OptionCatalogue.options.map(\.row)
        case .schema, .receipt: []
        }
    }
}

extension RequestOption {
    /// The name in JSON, the values, and the meaning.
    fileprivate var row: [String] {
        let name: Message.Spelling = { option, value in "`\(option.rawValue)" + (value.map { "=\($0)" } ?? "") + "`" }
        let standard = defaultText.map { " By default `\($0)`." } ?? ""
        return ["`\(self.name.rawValue)`", value.expected, help.text(name) + standard]
    }
}

extension SettingsPreset.Name {
    /// The name, the purpose, and the equivalent options.
    fileprivate var row: [String] {
        let preset = SettingsPreset(self)
        let settings = (try? TranscodeRequest.settings(preset.settings)) ?? [:]
        let options = FlagSpelling.arguments(settings).map { $0.replacing("=", with: " ") }.joined(separator: " ")
        return ["`\(rawValue)`", preset.description ?? "", "`\(options)`"]
    }
}

extension Message {
    /// The text with options as flags, in backquotes.
    fileprivate var withFlagsInCode: String { text { "`\(FlagSpelling.spelling($0, $1))`" } }
}
