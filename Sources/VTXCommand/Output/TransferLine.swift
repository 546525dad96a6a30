import VTXSystem
import VTXTask

/// The line of a terminal that shows how far a file is on its way. Where there is no terminal it shows nothing.
package final class TransferLine: Sendable {
    private let console: Console
    private let verb: String
    private let state = Locked((shownAt: -1.0, isShown: false))

    /// Seconds from one drawing to the next.
    private static let interval = 0.2

    /// - Parameter verb: what is done: `sending`.
    package init(_ console: Console, _ verb: String) { (self.console, self.verb) = (console, verb) }

    /// - Parameter total: nil where it is not known.
    package func show(_ count: Int64, of total: Int64?) {
        let terminal = console.terminal
        guard terminal.redrawsLines, terminal.isForeground() else { return }
        state.withLock { state in
            let now = MonotonicClock.seconds
            guard now - state.shownAt >= Self.interval else { return }
            state = (now, true)
            console.messages.write("\r\u{1B}[K" + text(count, total).prefix(max(0, terminal.width() - 1)))
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
        state.withLock { state in
            if state.isShown { console.messages.write("\r\u{1B}[K") }
            state.isShown = false
        }
    }
}
