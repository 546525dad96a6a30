import VTXSystem
import VTXTask

/// Shows the progress of a file transfer in one line of a terminal; nothing elsewhere.
package final class TransferLine: Sendable {
    private let console: Console
    private let verb: String
    private let state: Locked<(line: StatusLine, shownAt: Double)>

    /// The interval of redrawing, in seconds.
    private static let interval = 0.2

    /// - Parameter verb: The action, such as `sending`.
    package init(_ console: Console, _ verb: String) {
        (self.console, self.verb) = (console, verb)
        state = Locked((line: StatusLine(console), shownAt: -1.0))
    }

    /// - Parameter total: nil if unknown.
    package func show(_ count: Int64, of total: Int64?) {
        guard console.terminal.redrawsLines else { return }
        state.withLock { state in
            let now = MonotonicClock.seconds
            guard now - state.shownAt >= Self.interval else { return }
            state.shownAt = now
            state.line.draw { String(text(count, total).prefix($0)) }
        }
    }

    private func text(_ count: Int64, _ total: Int64?) -> String {
        guard let total, total > 0 else { return "\(verb)  \(Format.bytes(count))" }
        let fraction = min(1, Double(count) / Double(total))
        let percent = "\(Int(fraction * 100))%".leftPadded(to: 4)
        return "\(verb) \(percent)  \(ProgressLine.bar(fraction, width: 30))  \(Format.bytes(count))"
    }

    /// Erases the line before other lines are printed.
    package func clear() {
        state.withLock { $0.line.erase() }
    }
}
