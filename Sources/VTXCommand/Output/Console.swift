import Glibc
import VTXMedia
import VTXSystem
import VTXTask

/// The outputs of a command: data goes to `output`, messages for users to `messages`.
package struct Console: Sendable {
    package let output: any TextSink
    let messages: any TextSink
    /// The terminal of `messages`.
    let terminal: Terminal

    /// The width of help: readable on wide screens, and fixed in files.
    var helpWidth: Int { min(max(terminal.width(), 40), 100) }

    /// For a command that writes something else to standard output.
    var withoutOutput: Console { Console(output: messages, messages: messages, terminal: terminal) }

    /// Prints one line for users, after the program's name.
    package func say(_ label: Label? = nil, _ text: String) {
        let prefix = label.map { $0.painted(terminal.usesColor) + " " } ?? ""
        messages.write("vtx: \(prefix)\(text.printable)\n")
    }

    /// Prints an error and its remedy. An output that would be too large was skipped at the user's request.
    func explain(_ error: TranscodeError) {
        say(error.kind == .outputTooLarge ? .skipped : .error, error.message.withFlags)
        if let hint = error.hint { say(.hint, hint.withFlags) }
    }

    /// Reports the failure of a command before or without a transcode.
    func report(_ error: TranscodeError, asJSON: Bool) -> ExitCode {
        explain(error)
        if asJSON { output.write(ResultRecord(error).line) }
        return error.exitCode
    }
}

/// The word before a message that classifies it.
package enum Label: String, Sendable {
    case error
    case hint
    case skipped
    case downgrade
    case conversion
    case fallback
    case warning

    /// `error:`, colored if requested.
    func painted(_ usesColor: Bool) -> String {
        usesColor ? "\u{1B}[\(color)m\(rawValue):\u{1B}[0m" : "\(rawValue):"
    }

    /// An SGR code of ECMA-48.
    private var color: String {
        switch self {
        case .error: "1;31"
        case .skipped, .downgrade, .fallback, .warning: "33"
        case .hint, .conversion: "36"
        }
    }
}

/// The properties of standard error that affect output.
struct Terminal: Sendable {
    /// Whether lines can be redrawn in place.
    var redrawsLines: Bool
    var usesColor: Bool
    /// The current number of columns, because windows are resized.
    var width: @Sendable () -> Int
    /// Whether the process may draw now, that is, is not in a shell's background.
    var isForeground: @Sendable () -> Bool

    static let defaultWidth = 80

    /// A file or pipe: no color, no redrawing.
    static let none = Terminal(
        redrawsLines: false, usesColor: false, width: { defaultWidth }, isForeground: { true })

    /// Returns the terminal of a descriptor, as configured by the environment.
    static func of(_ descriptor: Int32, environment: (String) -> String?) -> Terminal {
        let isTerminal = isatty(descriptor) == 1 && (environment("TERM") ?? "dumb") != "dumb"
        return Terminal(
            redrawsLines: isTerminal,
            usesColor: isTerminal && (environment("NO_COLOR") ?? "").isEmpty,
            width: { columns(of: descriptor) ?? defaultWidth },
            isForeground: { isForegroundProcess(of: descriptor) })
    }

    private static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    private static func isForegroundProcess(of descriptor: Int32) -> Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }
}

/// A destination for text: standard output, standard error, or a test's memory.
package protocol TextSink: Sendable {
    /// Writes all text at once, unbuffered.
    func write(_ text: String)
    /// Whether there is a reader. If it has closed the pipe, or nothing can be written, long output can stop.
    var hasReader: Bool { get }
    /// While this descriptor is readable, an output that blocks counts as having no reader.
    func giveUp(whenReadable descriptor: Int32)
}

extension TextSink {
    var hasReader: Bool { true }
    func giveUp(whenReadable descriptor: Int32) {}
}

/// A sink that writes to a file descriptor.
///
/// A reader that closes the pipe (`vtx man | head -1`) is no error: further output is dropped. Other failures are
/// reported at the end of the program.
final class DescriptorSink: TextSink {
    private let descriptor: Int32
    private let state = Locked(State.open)
    private let request = Locked<Int32?>(nil)

    private enum State: Sendable, Equatable {
        case open
        case readerGone
        case failed(Int32)
    }

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The `errno` of the write that failed; nil if none did.
    var failure: Int32? {
        state.withLock { if case .failed(let code) = $0 { code } else { nil } }
    }

    var hasReader: Bool { state.withLock { $0 == .open } }

    func giveUp(whenReadable descriptor: Int32) { request.withLock { $0 = descriptor } }

    func write(_ text: String) {
        let request = request.withLock(\.self)
        state.withLock { state in
            guard state == .open else { return }
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                if let request, !waitsForRoom(unless: request) { return state = .readerGone }
                // A pipe with any room accepts this much without blocking.
                let part = request == nil ? rest : rest.prefix(Int(PIPE_BUF))
                do throws(SystemError) {
                    try FileDescriptor.writeAll(part.span.bytes, to: descriptor)
                } catch { return state = error.code == EPIPE ? .readerGone : .failed(error.code) }
                rest = rest.dropFirst(part.count)
            }
        }
    }

    /// - Returns: false if there is a request to stop and no reader.
    private func waitsForRoom(unless request: Int32) -> Bool {
        Poll.wait(for: [.writable(descriptor), .readable(request)], seconds: nil)
        return Poll.has(.writable(descriptor), within: 0.2)
    }
}
