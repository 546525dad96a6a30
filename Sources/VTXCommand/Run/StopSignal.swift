import Glibc
import VTXMedia
import VTXTask
import VTXTranscode

/// A signal that asks the process to end.
enum StopSignal: Int32, Sendable, CaseIterable {
    case interrupt = 2
    case terminate = 15
    case hangUp = 1

    /// A terminal that goes away wants the same as a service manager.
    var reason: Cancellation.Reason { self == .interrupt ? .interrupted : .terminated }

    /// How a command ends that had no chance to end by itself.
    var error: TranscodeError {
        switch reason {
        case .interrupted: TranscodeError(.interrupted, "interrupted")
        case .terminated: TranscodeError(.terminated, "terminated")
        }
    }

    /// Ends the process here and now: nothing is flushed, no destructor runs.
    func endProcess() -> Never { _exit(error.exitCode.rawValue) }
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

/// Counts the stop signals that came: the first asks, the second insists.
///
/// A terminal and most service managers send theirs to every process of a group, so to a worker and to its
/// supervisor, which passes it on. A worker therefore leaves the counting to its supervisor: one that came directly
/// can only be the first, and one that the supervisor sends says which it is.
struct StopCounter: Sendable {
    enum Step: Sendable, Hashable {
        case first
        case second
    }

    let isWorker: Bool
    private var count = 0

    init(isWorker: Bool) {
        self.isWorker = isWorker
    }

    /// - Parameter forwarded: which one the supervisor says it is; nil for a signal that came directly.
    /// - Returns: nil for one that changes nothing.
    mutating func add(forwarded: Int?) -> Step? {
        let before = count
        count = isWorker ? max(count, forwarded ?? 1) : count + 1
        if count >= 2 { return before < 2 ? .second : nil }
        return before == 0 ? .first : nil
    }
}
