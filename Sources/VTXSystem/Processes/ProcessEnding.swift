import Glibc

/// How a process ended.
package enum ProcessEnding: Sendable, Hashable {
    case exited(Int32)
    case killed(signal: Int32)
    /// It was killed but still exists: the kernel holds it in an uninterruptible call.
    case stuck

    /// - Parameter status: The status from waitpid(2), whose macros Swift does not import.
    package init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
    }

    /// Whether the process crashed: a failed assertion, an invalid pointer.
    package var isCrash: Bool {
        guard case .killed(let signal) = self else { return false }
        return [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS].contains(signal)
    }

    package var isExit: Bool { if case .exited = self { true } else { false } }

    /// Follows the name of the process: `aborted (SIGABRT)`.
    package var words: String {
        switch self {
        case .exited(let code): "ended the process (exit code \(code))"
        case .killed(SIGABRT): "aborted (SIGABRT)"
        case .killed(let signal): "\(isCrash ? "crashed" : "was killed") (\(Self.name(of: signal)))"
        case .stuck: "does not let the process exit"
        }
    }

    private static func name(of signal: Int32) -> String {
        let names = [
            SIGHUP: "HUP", SIGINT: "INT", SIGQUIT: "QUIT", SIGILL: "ILL", SIGTRAP: "TRAP", SIGABRT: "ABRT",
            SIGBUS: "BUS", SIGFPE: "FPE", SIGKILL: "KILL", SIGSEGV: "SEGV", SIGPIPE: "PIPE", SIGALRM: "ALRM",
            SIGTERM: "TERM", SIGXCPU: "XCPU", SIGSYS: "SYS",
        ]
        return names[signal].map { "SIG\($0)" } ?? "signal \(signal)"
    }
}
