import Glibc
import VTXMedia
package import VTXSystem
package import VTXTask
import VTXWorker

/// A signal that asks the process to end.
enum StopSignal: Int32, Sendable, CaseIterable {
    case interrupt = 2
    case terminate = 15
    case hangUp = 1

    /// A terminal that goes away wants the same as a service manager.
    var reason: Cancellation.Reason { self == .interrupt ? .interrupted : .terminated }

    /// How a command ends that had no chance to end by itself.
    var error: TranscodeError { .stopped(reason) }
}

/// Tells a signal that came twice from two signals: timeout(1) sends its signal to the process and then to its group.
struct SignalDebounce: Sendable {
    /// No user presses Ctrl-C twice as fast, nor reads the messages in between.
    static let seconds = 0.25
    private var last: Double?

    /// - Parameter now: seconds on a clock that never goes back.
    mutating func isEcho(at now: Double) -> Bool {
        if let last, now - last < Self.seconds { return true }
        last = now
        return false
    }
}

/// The stop signals that came, for a loop that waits for other things as well.
package struct StopSignalDescriptor: StopRequests, Sendable {
    private let descriptor: SignalDescriptor
    private let begin = SuspendingClock.now
    private var echo = SignalDebounce()

    /// From now on they are read here and nowhere else.
    package init() throws(SystemError) {
        // nohup starts programs with this one ignored, and that is to stay so. Scripts start background jobs with
        // SIGINT ignored, only to keep the keyboard away from them; who sends one by hand means it.
        let wanted = StopSignal.allCases.filter { $0 != .hangUp || !Signals.isIgnored($0.rawValue) }
        descriptor = try SignalDescriptor(wanted.map(\.rawValue))
    }

    package var number: Int32 { descriptor.number }

    package mutating func receive() -> [Cancellation.Reason] { signals().map(\.reason) }

    mutating func signals() -> [StopSignal] {
        let now = (SuspendingClock.now - begin) / .seconds(1)
        return descriptor.receive().compactMap(StopSignal.init).filter { _ in !echo.isEcho(at: now) }
    }

    /// Waits for the first one; another one ends the process as it always would.
    package mutating func waitForOne() {
        while signals().isEmpty { Poll.wait(for: [.readable(number)], seconds: nil) }
        descriptor.release()
    }
}
