import VTXSystem
import VTXTask

/// The line of a terminal that shows how far a file is on its way. Where there is no terminal it shows nothing.
package final class TransferLine: Sendable {
    private let console: Console
    private let verb: String
    private let state: Locked<(line: StatusLine, shownAt: Double)>

    /// Seconds from one drawing to the next.
    private static let interval = 0.2

    /// - Parameter verb: what is done: `sending`.
    package init(_ console: Console, _ verb: String) {
        (self.console, self.verb) = (console, verb)
        state = Locked((line: StatusLine(console), shownAt: -1.0))
    }

    /// - Parameter total: nil where it is not known.
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

    /// Makes room for other lines.
    package func clear() {
        state.withLock { $0.line.erase() }
    }
}
