import Glibc
import VTXMedia
package import VTXSystem
package import VTXTask
import VTXWorker

/// A signal that asks the process to exit.
enum StopSignal: Int32, Sendable, CaseIterable {
    case interrupt = 2
    case terminate = 15
    case hangUp = 1

    /// A closed terminal means the same as a service manager's request.
    var reason: Cancellation.Reason { self == .interrupt ? .interrupted : .terminated }

    /// The error of a command that was stopped.
    var error: TranscodeError { .stopped(reason) }
}

/// Distinguishes a signal received twice from two signals: timeout(1) signals the process and then its group.
struct SignalDebounce: Sendable {
    /// No user presses Ctrl-C twice this fast, or reads the messages in between.
    static let seconds = 0.25
    private var last: Double?

    /// - Parameter now: Seconds on a monotonic clock.
    mutating func isEcho(at now: Double) -> Bool {
        if let last, now - last < Self.seconds { return true }
        last = now
        return false
    }
}

/// The received stop signals, for a loop that also waits for other events.
package struct StopSignalDescriptor: StopRequests, Sendable {
    private let descriptor: SignalDescriptor
    private let begin = SuspendingClock.now
    private var echo = SignalDebounce()

    /// Blocks the signals, which are then only read here.
    package init() throws(SystemError) {
        // nohup starts programs with SIGHUP ignored, which must stay so. Scripts start background jobs with SIGINT
        // ignored, only because of the keyboard; an explicit SIGINT is intended.
        let wanted = StopSignal.allCases.filter { $0 != .hangUp || !Signals.isIgnored($0.rawValue) }
        descriptor = try SignalDescriptor(wanted.map(\.rawValue))
    }

    package var number: Int32 { descriptor.number }

    package mutating func receive() -> [Cancellation.Reason] { signals().map(\.reason) }

    mutating func signals() -> [StopSignal] {
        let now = (SuspendingClock.now - begin) / .seconds(1)
        return descriptor.receive().compactMap(StopSignal.init).filter { _ in !echo.isEcho(at: now) }
    }

    /// Waits for the first signal; a second one ends the process as usual.
    package mutating func waitForOne() {
        while signals().isEmpty { Poll.wait(for: [.readable(number)], seconds: nil) }
        descriptor.release()
    }
}
