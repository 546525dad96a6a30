import VTXTask

/// Formats the progress of a transcode in one line.
enum ProgressLine {
    private static let barWidths = 10...40

    /// Returns a line of at most this many columns. A bar fills the space that the numbers leave; if they do not fit,
    /// the least important ones are omitted.
    static func text(for progress: Progress, width: Int) -> String {
        text(of: facts(of: progress), progress.fraction, width: width)
    }

    /// - Parameters:
    ///   - facts: The most important first. If there is a fraction, the first fact is the percentage.
    ///   - fraction: The completed fraction, for a bar; nil for none.
    static func text(of facts: [String], _ fraction: Double?, width: Int) -> String {
        var facts = facts
        while facts.count > 1, length(of: facts) > width { facts.removeLast() }
        let line = facts.joined(separator: "  ")
        guard let fraction else { return String(line.prefix(max(0, width))) }
        let room = min(width - line.count - 4, barWidths.upperBound)
        guard room >= barWidths.lowerBound else { return String(line.prefix(max(0, width))) }
        let percent = facts.removeFirst()
        return ([percent, bar(fraction, width: room)] + facts).joined(separator: "  ")
    }

    /// `[=====>    ]`, with this many columns between the brackets.
    static func bar(_ fraction: Double, width: Int) -> String {
        let filled = Int((Double(width) * fraction).rounded(.down))
        guard filled < width else { return "[" + String(repeating: "=", count: width) + "]" }
        let head = String(repeating: "=", count: filled) + ">"
        return "[" + head.padded(to: width) + "]"
    }

    /// Returns the numbers, the most important first.
    private static func facts(of progress: Progress) -> [String] {
        var facts: [String] = []
        if let fraction = progress.fraction {
            facts.append("\(Int((fraction * 100).rounded(.down)))%".leftPadded(to: 4))
        } else {
            facts.append(Format.clock(progress.seconds))
        }
        guard progress.phase == .transcoding else { return facts + ["\(progress.phase.rawValue) ..."] }
        facts.append(Format.speed(progress.speed))
        if let remaining = progress.remainingSeconds { facts.append("ETA \(Format.clock(remaining))") }
        facts.append("\(Format.tenths(progress.framesPerSecond)) fps")
        if let latency = progress.latencySeconds { facts.append("latency \(Format.milliseconds(latency))") }
        facts.append(Format.bytes(progress.bytes))
        facts.append(
            progress.totalFrames.map { "\(progress.frames)/\($0)" } ?? Format.frames(progress.frames))
        return facts
    }

    private static func length(of facts: [String]) -> Int {
        facts.reduce(0) { $0 + $1.count } + 2 * (facts.count - 1)
    }
}

/// The line at the bottom of a terminal, which is redrawn until other lines take its place.
struct StatusLine: Sendable {
    private let console: Console
    private var isVisible = false

    init(_ console: Console) { self.console = console }

    /// Draws the line, unless another program controls the terminal.
    ///
    /// - Parameter text: Returns the line, of at most this many columns. A full line would wrap on some terminals and
    ///   leave a trail.
    mutating func draw(_ text: (_ width: Int) -> String) {
        guard console.terminal.isForeground() else { return }
        console.messages.write("\r\(text(max(0, console.terminal.width() - 1)))\(Self.erasing)")
        isVisible = true
    }

    mutating func erase() {
        if isVisible { console.messages.write("\r\(Self.erasing)") }
        isVisible = false
    }

    /// Erases to the end of the line.
    static let erasing = "\u{1B}[K"
}

/// Limits how often progress is shown, to what users can read. Programs get no more.
struct ProgressThrottle {
    let interval: Double
    private var last: Progress?

    init(interval: Double) {
        self.interval = interval
    }

    /// Whether to show this progress. The first one and each change of phase are always shown.
    mutating func admits(_ progress: Progress) -> Bool {
        if let last, last.phase == progress.phase, progress.elapsedSeconds - last.elapsedSeconds < interval {
            return false
        }
        last = progress
        return true
    }
}

/// Formats progress like `ffmpeg -progress`, for programs that parse that.
enum FFmpegProgress {
    static func block(for progress: Progress, isLast: Bool) -> String {
        let microseconds = Int64(exactly: (max(0, progress.seconds) * 1_000_000).rounded()) ?? 0
        let fields = [
            ("frame", "\(progress.frames)"),
            ("fps", Format.tenths(progress.framesPerSecond)),
            ("bitrate", bitrate(of: progress)),
            ("total_size", "\(progress.bytes)"),
            ("out_time_us", "\(microseconds)"),
            // ffmpeg's `out_time_ms` is also in microseconds, on which its readers depend.
            ("out_time_ms", "\(microseconds)"),
            ("out_time", clock(microseconds)),
            ("dup_frames", "0"),
            ("drop_frames", "0"),
            ("speed", Format.speed(progress.speed)),
            ("progress", isLast ? "end" : "continue"),
        ]
        return fields.map { "\($0)=\($1)\n" }.joined()
    }

    private static func bitrate(of progress: Progress) -> String {
        guard progress.seconds > 0 else { return "N/A" }
        return Format.tenths(Double(progress.bytes) * 8 / 1000 / progress.seconds) + "kbits/s"
    }

    /// `00:01:02.345678`.
    private static func clock(_ microseconds: Int64) -> String {
        let seconds = Int(microseconds / 1_000_000)
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(Format.twoDigits)
        let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        return parts.joined(separator: ":") + ".\(fraction)"
    }
}
