import VTXMedia
import VTXTask

/// Formats a comparison for users.
enum ComparisonText {
    static func text(for report: ComparisonReport) -> String {
        let lines =
            PlanText.table(files(report)) + [""] + PlanText.table(metrics(report)) + [""] + count(report)
            + shown(report)
        return lines.map { "\($0.printable)\n" }.joined()
    }

    private static func files(_ report: ComparisonReport) -> [[String]] {
        let rows: [(String, (ComparedFile) -> String)] = [
            ("file", \.path), ("picture", { "\($0.size) \($0.pixelFormat)" }), ("frames", { "\($0.frames)" }),
            ("size", { Format.bytes($0.bytes) }),
            ("video", { $0.videoBitrate.map { Format.bytes($0).replacing("B", with: "b/s") } ?? "?" }),
        ]
        let both = [report.original, report.output]
        return [["", "original", "output"]] + rows.map { title, cell in [title] + both.map(cell) }
    }

    private static func metrics(_ report: ComparisonReport) -> [[String]] {
        [["metric", "mean", "1st percentile", "worst", "where"]]
            + report.metrics.map { found in
                let values = [found.mean, found.firstPercentile, found.worst.value].map(found.metric.text)
                return [found.metric.name] + values + ["frame \(found.worst.frame), \(seconds(found.worst.seconds))"]
            }
    }

    /// The number of compared frames, and how they were converted or skipped.
    private static func count(_ report: ComparisonReport) -> [String] {
        let (original, output) = (report.original, report.output)
        var line = "\(Format.frames(report.frames)) compared"
        if output.size != original.size { line += ", scaled from \(output.size) to \(original.size)" }
        let unpaired = [("ORIGINAL", original), ("OUTPUT", output)].filter { $0.1.unpairedFrames > 0 }
            .map { "\(Format.frames($0.1.unpairedFrames)) of \($0.0)" }
        return [line] + (unpaired.isEmpty ? [] : ["without a partner: \(unpaired.joined(separator: ", "))"])
    }

    /// The contents of the picture, row by row.
    private static func shown(_ report: ComparisonReport) -> [String] {
        let rows = report.shown.map { "frame \($0.frame), \(seconds($0.seconds))" }
        return rows.isEmpty ? [] : ["in the picture: \(rows.joined(separator: "; "))"]
    }

    /// `83.458 s`.
    static func seconds(_ value: Double) -> String { "\(value.thousandths) s" }
}
