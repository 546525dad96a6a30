import VTXMedia
import VTXTask

/// The tables of all codes that programs see.
enum CodeReference: String, CaseIterable {
    case errors
    case notices

    /// A table in Markdown.
    var markdown: String {
        let cells = table.map { row in row.map { $0.replacing("|", with: "\\|") } }
        let rows = [header, header.map { _ in "---" }] + cells
        return rows.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }

    /// A code a line, and what it means below it.
    func text(width: Int) -> String {
        table.map { row in
            let words = row.dropFirst().filter { !$0.isEmpty }.joined(separator: " ").replacing("`", with: "")
            return row[0].replacing("`", with: "") + "\n" + words.wrapped(to: width - 4).map { "    \($0)\n" }.joined()
        }.joined()
    }

    private var header: [String] {
        switch self {
        case .errors: ["Code", "Exit code", "Meaning", "What helps"]
        case .notices: ["Code", "Kind", "Meaning"]
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
        }
    }
}

extension Message {
    /// With the options as flags, in backquotes.
    fileprivate var withFlagsInCode: String { text { "`\(FlagSpelling.spelling($0, $1))`" } }
}
