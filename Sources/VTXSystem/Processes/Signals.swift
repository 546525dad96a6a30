import CSystem
import Glibc

/// Signals that are read instead of interrupting the program (C: `signalfd`).
package final class SignalDescriptor: Sendable {
    private let descriptor: FileDescriptor
    private let set: sigset_t

    /// Blocks the signals in the calling thread and those that it starts. Ignored signals stay ignored.
    package init(_ signals: [Int32]) throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let number = system_signal_descriptor(&set)
        guard number >= 0 else { throw SystemError("signalfd", errno) }
        descriptor = FileDescriptor(owning: number)
        self.set = set
    }

    /// Restores the signals' default effect in the calling thread.
    package func release() { withUnsafePointer(to: set) { _ = pthread_sigmask(SIG_UNBLOCK, $0, nil) } }

    /// The descriptor for `Poll`.
    package var number: Int32 { descriptor.number }

    /// Returns pending signals without waiting.
    package func receive() -> [Int32] {
        // signalfd_siginfo has 128 bytes and begins with the signal's number.
        guard case .bytes(let bytes)? = try? descriptor.readAvailable(upTo: 16 * 128) else { return [] }
        return stride(from: 0, to: bytes.count, by: 128).map { Int32(bytes[$0]) }
    }
}

package enum Signals {
    package static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    package static func ignore(_ signals: [Int32]) { signals.forEach { signal($0, SIG_IGN) } }

    /// Makes the ends of children known to this process. A program that ignores SIGCHLD starts others that ignore it.
    package static func hearOfChildren() { signal(SIGCHLD, SIG_DFL) }

    /// Blocks a signal in the calling thread and those that it starts.
    package static func block(_ signal: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}
