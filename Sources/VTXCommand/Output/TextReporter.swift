import VTXMedia
import VTXSystem
import VTXTask

/// Reports one transcode to the user, in a format of their choice.
///
/// Called from any thread. `finish` reports the end of a transcode, not `report`. After `finish` or `fail`, nothing
/// else is reported.
protocol Reporter: Sendable {
    func report(_ event: TranscodeEvent)
    /// Relays a message of a library.
    func relay(_ line: String)
    /// The transcode is stopping.
    func stopping()
    func finish(_ result: TranscodeResult)
    func fail(_ error: TranscodeError)
}

/// The notices of a transcode without duplicates: they come with the plan, during the transcode, and with the result.
struct NoticeLog {
    private(set) var notices: [Notice] = []
    private var known: Set<Notice> = []

    /// Adds notices and returns the new ones.
    mutating func add(_ more: [Notice]) -> [Notice] {
        let new = more.filter { known.insert($0).inserted }
        notices += new
        return new
    }
}

/// Prints lines for users on standard error, with a progress bar at the bottom of a terminal.
final class TextReporter: Reporter {
    /// What to print.
    struct Style: Sendable {
        var showsNotices: Bool
        var showsDecisions: Bool
        var showsSummary: Bool
        var drawsBar: Bool
        /// Whether to print ffmpeg's blocks on standard output.
        var printsBlocks: Bool
        /// Records of progress on standard output.
        var printsRecords = false
    }

    private let console: Console
    private let style: Style
    private let state: Locked<State>

    private struct State {
        var log = NoticeLog()
        var cadence: ProgressThrottle
        var last: Progress?
        var bar: StatusLine
        var hasEnded = false
    }

    init(_ console: Console, style: Style) {
        self.console = console
        self.style = style
        let cadence = ProgressThrottle(interval: style.drawsBar ? 0.1 : 0.5)
        state = Locked(State(cadence: cadence, bar: StatusLine(console)))
    }

    func report(_ event: TranscodeEvent) {
        update { state in
            switch event {
            case .planned(let plan):
                if style.showsDecisions { plan.decisions.forEach { say(&state, $0.line) } }
                show(plan.notices, &state)
            case .notice(let notice):
                show([notice], &state)
            case .finished: break
            case .progress(let progress):
                state.last = progress
                if state.cadence.admits(progress) { show(progress, &state) }
            }
        }
    }

    func relay(_ line: String) {
        update { say(&$0, line) }
    }

    func stopping() {
        guard console.terminal.redrawsLines, style.showsSummary else { return }
        update { say(&$0, "stopping; repeat to stop at once") }
    }

    func finish(_ result: TranscodeResult) {
        end { state in
            show(result.notices, &state)
            let resumed = state.last?.resumedSeconds ?? 0
            if style.showsSummary { say(&state, Summary.text(for: result, resumedSeconds: resumed)) }
        }
    }

    func fail(_ error: TranscodeError) {
        end { state in
            state.bar.erase()
            console.explain(error)
        }
    }

    private func update(_ body: (inout State) -> Void) {
        state.withLock { if !$0.hasEnded { body(&$0) } }
    }

    private func end(_ body: (inout State) -> Void) {
        update { state in
            if style.printsBlocks, let last = state.last {
                console.output.write(FFmpegProgress.block(for: last, isLast: true))
            }
            state.bar.erase()
            body(&state)
            state.hasEnded = true
        }
    }
}

extension TextReporter {
    private func show(_ notices: [Notice], _ state: inout State) {
        for notice in state.log.add(notices) where style.showsNotices {
            state.bar.erase()
            console.say(Label(notice.kind), notice.message.withFlags)
        }
    }

    private func show(_ progress: Progress, _ state: inout State) {
        if style.printsBlocks { console.output.write(FFmpegProgress.block(for: progress, isLast: false)) }
        if style.printsRecords { console.output.write(TranscodeEvent.progress(progress).line) }
        if style.drawsBar { state.bar.draw { ProgressLine.text(for: progress, width: $0) } }
    }

    private func say(_ state: inout State, _ text: String) {
        state.bar.erase()
        console.say(nil, text)
    }
}

extension Label {
    /// nil for a notice without a label.
    fileprivate init?(_ kind: NoticeKind) {
        switch kind.category {
        case .journal where kind == .journalResumed: return nil
        case .warning where [.qualityFound, .rateFound].contains(kind): return nil
        case .downgrade: self = .downgrade
        case .conversion: self = .conversion
        case .fallback: self = .fallback
        case .journal, .warning: self = .warning
        }
    }
}

extension Decision {
    /// `codec: HEVC (the default)`.
    var line: String { reason.isEmpty ? "\(subject): \(choice)" : "\(subject): \(choice) (\(reason.withFlags))" }
}

/// Formats the line at the end of a transcode.
enum Summary {
    /// - Parameter resumedSeconds: The duration of the video that an earlier run encoded.
    static func text(for result: TranscodeResult, resumedSeconds: Double = 0) -> String {
        let output = result.output == StandardStream.path ? "standard output" : result.output
        return switch result.outcome {
        case .skipped: "\(output): \(result.reason.map(skipped(because:)) ?? "exists, skipped")"
        case .completed: "\(output): \(figures(of: result, resumedSeconds))"
        case .incompleteSource: "\(output): everything readable in the source: \(figures(of: result, resumedSeconds))"
        }
    }

    private static func skipped(because reason: String) -> String {
        "skipped, because \(reason); --skip-codecs none encodes it anyway"
    }

    private static func figures(of result: TranscodeResult, _ resumedSeconds: Double) -> String {
        let encoded = max(0, result.seconds - resumedSeconds)
        var speed = ""
        if result.elapsedSeconds > 0 { speed = " (\(Format.speed(encoded / result.elapsedSeconds)))" }
        let frames = Format.frames(result.frames)
        let times = "\(Format.clock(result.seconds)) in \(Format.clock(result.elapsedSeconds))\(speed)"
        let latency = result.latencySeconds.map { ", latency \(Format.milliseconds($0))" } ?? ""
        return "\(frames), \(Format.bytes(result.bytes)), \(times)\(latency)"
    }
}
