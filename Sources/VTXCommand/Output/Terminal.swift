import Glibc

/// What standard error is connected to, as far as it changes what is written there.
struct Terminal: Sendable {
    /// Whether lines can be redrawn in place.
    var redrawsLines: Bool
    var usesColor: Bool
    /// Columns at this moment; windows change their size.
    var width: @Sendable () -> Int
    /// Whether the process may draw now: not while it runs in the background of a shell.
    var isForeground: @Sendable () -> Bool

    static let defaultWidth = 80

    /// A file or a pipe: no color, no redrawing.
    static let none = Terminal(
        redrawsLines: false, usesColor: false, width: { defaultWidth }, isForeground: { true })

    /// The terminal of a descriptor, as the environment wants it used.
    static func of(_ descriptor: Int32, environment: [String: String]) -> Terminal {
        let isTerminal = isatty(descriptor) == 1 && (environment["TERM"] ?? "dumb") != "dumb"
        return Terminal(
            redrawsLines: isTerminal,
            usesColor: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty,
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
