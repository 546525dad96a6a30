import VTXMedia
import VTXTask

/// Formats a plan for users, as printed by `--explain`.
package enum PlanText {
    static func text(for plan: TranscodePlan) -> String {
        let kinds = plan.ladder.map { [$0.writesHLS ? "HLS" : nil, $0.writesDASH ? "DASH" : nil].compactMap(\.self) }
        let heading =
            "\(plan.input) -> \(plan.output) (\(kinds.map { $0.joined(separator: ", ") } ?? "\(plan.container)"))"
        let command = plan.ffmpegCommand.isEmpty ? [] : [ShellQuoting.command(plan.ffmpegCommand)]
        let sections = [
            section("Decisions", table(plan.decisions.map { [$0.subject, $0.choice, $0.reason.withFlags] })),
            section("Streams", table(plan.streams.map { [$0.source.label, $0.action.word, $0.reason] })),
            section("Notices", table(plan.notices.map { [$0.category.rawValue, $0.message.withFlags] })),
            section("About the same with ffmpeg", command),
        ]
        return heading.printable + "\n" + sections.joined()
    }

    /// A heading and indented lines; empty without lines.
    static func section(_ title: String, _ lines: [String]) -> String {
        guard !lines.isEmpty else { return "" }
        return "\n\(title)\n" + lines.map { "  \($0.printable)\n" }.joined()
    }

    /// Rows with aligned columns, except for the width of the last one.
    package static func table(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { $0 == row.count - 1 ? $1 : $1.padded(to: widths[$0]) }
            return cells.joined(separator: "  ").trimmingTrailingSpace
        }
    }
}
