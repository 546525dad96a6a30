import Glibc
import VTXMedia
import VTXTask

/// The metrics of each frame over time, as SVG, with a panel per metric.
struct ComparisonChart {
    private let report: ComparisonReport
    private let frames: [ComparedFrame]

    private static let (width, panel, gap) = (960.0, 240.0, 44.0)
    private static let (left, right, top) = (72.0, 24.0, 72.0)
    /// More points would overlap.
    private static let columns = 800

    init(_ report: ComparisonReport, _ frames: [ComparedFrame]) { (self.report, self.frames) = (report, frames) }

    var svg: String {
        let height = Self.top + Double(max(1, report.metrics.count)) * (Self.panel + Self.gap) + 12
        let size = "\(number(Self.width)) \(number(height))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" font-family="sans-serif" font-size="13">
            <rect width="100%" height="100%" fill="#fff"/>
            <text x="\(number(Self.left))" y="30" font-size="17" fill="#1b1f24">\(title)</text>
            <text x="\(number(Self.left))" y="51" fill="#59636e">\(subtitle)</text>
            \(report.metrics.enumerated().map(panel).joined(separator: "\n"))
            </svg>

            """
    }

    private var title: String {
        [report.output.path, report.original.path].map { escaped(name($0)) }.joined(separator: " compared with ")
    }

    private var subtitle: String {
        "\(Format.frames(report.frames)), \(report.output.size)"
            + (report.output.videoBitrate.map { ", \(Format.bytes($0).replacing("B", with: "b/s"))" } ?? "")
    }

    /// The axes, line and marks of one metric.
    private func panel(_ place: Int, _ found: MetricStatistics) -> String {
        let points = frames.compactMap { frame in frame.values[found.metric].map { (frame.seconds, $0) } }
        let top = Self.top + Double(place) * (Self.panel + Self.gap)
        let scales = Scales(
            x: Axis(0, max(points.last?.0 ?? 0, 0.001), steps: Axis.timeSteps),
            y: Axis(around: points.map(\.1) + [found.mean], of: found.metric),
            left: Self.left, width: Self.width - Self.left - Self.right, top: top + 14, height: Self.panel - 14)
        return [
            label(found.metric.name, at: Self.left, top + 4, "fill=\"#1b1f24\" font-weight=\"bold\""),
            grid(scales), line(points, scales), mean(found, scales), worst(found, scales),
        ].joined(separator: "\n")
    }

    private func grid(_ scales: Scales) -> String {
        let rows = scales.y.ticks.map { value in
            path("M\(point(scales.left, scales.y(value))) h\(number(scales.width))", "stroke=\"#e3e6ea\"")
                + label(
                    scales.y.text(value), at: scales.left - 8, scales.y(value) + 4,
                    "fill=\"#59636e\" text-anchor=\"end\"")
        }
        let columns = scales.x.ticks.map { time in
            label(Format.clock(time), at: scales.x(time), scales.bottom + 18, "fill=\"#59636e\" text-anchor=\"middle\"")
        }
        return (rows + columns).joined(separator: "\n")
    }

    /// Draws the values. If there are more frames than columns, a band below the mean shows the minimum and maximum of
    /// each column.
    private func line(_ points: [(Double, Double)], _ scales: Scales) -> String {
        let columns = ChartColumn.columns(of: points, atMost: Self.columns)
        func joined(_ values: [(Double, Double)]) -> String {
            values.map { point(scales.x($0.0), scales.y($0.1)) }.joined(separator: " ")
        }
        let middle =
            "<polyline points=\"\(joined(columns.map { ($0.time, $0.mean) }))\" fill=\"none\" "
            + "stroke=\"#0969da\" stroke-width=\"1.5\" stroke-linejoin=\"round\"/>"
        guard columns.count < points.count else { return middle }
        let outline = columns.map { ($0.time, $0.high) } + columns.reversed().map { ($0.time, $0.low) }
        return "<polygon points=\"\(joined(outline))\" fill=\"#b6d4f5\"/>\n" + middle
    }

    private func mean(_ found: MetricStatistics, _ scales: Scales) -> String {
        let y = scales.y(found.mean)
        let end = scales.left + scales.width
        return path(
            "M\(point(scales.left, y)) h\(number(scales.width))", "stroke=\"#bc4c00\" stroke-dasharray=\"5 4\"")
            + label(
                "mean \(found.metric.text(found.mean))", at: end, scales.top - 10,
                "fill=\"#bc4c00\" text-anchor=\"end\"")
    }

    private func worst(_ found: MetricStatistics, _ scales: Scales) -> String {
        let (x, y) = (scales.x(found.worst.seconds), scales.y(found.worst.value))
        return "<circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"4\" fill=\"#cf222e\"><title>worst: frame "
            + "\(found.worst.frame), \(found.metric.text(found.worst.value))</title></circle>"
            + label(
                "worst \(found.metric.text(found.worst.value))", at: scales.left + scales.width - 150, scales.top - 10,
                "fill=\"#cf222e\" text-anchor=\"end\"")
    }
}

/// The positions of values in a panel.
private struct Scales {
    let x: Axis
    let y: Axis
    let (left, width, top, height): (Double, Double, Double, Double)

    init(x: Axis, y: Axis, left: Double, width: Double, top: Double, height: Double) {
        (self.x, self.y) = (x.placed(from: left, to: left + width), y.placed(from: top + height, to: top))
        (self.left, self.width, self.top, self.height) = (left, width, top, height)
    }

    var bottom: Double { top + height }
}

extension ComparisonChart {
    private func path(_ data: String, _ style: String) -> String { "<path d=\"\(data)\" fill=\"none\" \(style)/>" }

    private func label(_ text: String, at x: Double, _ y: Double, _ style: String) -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" \(style)>\(escaped(text))</text>"
    }

    private func point(_ x: Double, _ y: Double) -> String { "\(number(x)),\(number(y))" }

    /// Rounds to a tenth of a pixel.
    private func number(_ value: Double) -> String { Format.tenths(value) }

    private func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    private func escaped(_ text: String) -> String { text.printable.escapedForXML }
}
