import VTXMedia
import VTXSystem

@testable import VTXCommand

/// Keeps what is written.
final class CollectingSink: TextSink {
    private let parts = Locked<[String]>([])

    func write(_ text: String) { parts.withLock { $0.append(text) } }

    var text: String { parts.withLock { $0.joined() } }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// A console in memory.
struct TestConsole {
    let output = CollectingSink()
    let messages = CollectingSink()
    var terminal = Terminal.none

    var console: Console { Console(output: output, messages: messages, terminal: terminal) }

    /// A terminal of 80 columns that can redraw lines.
    static var onTerminal: TestConsole {
        var console = TestConsole()
        console.terminal.redrawsLines = true
        return console
    }
}
