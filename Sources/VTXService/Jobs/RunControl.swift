package import VTXJobs
import VTXSystem

/// How a worker is told to stop.
package final class RunControl: Sendable {
    private struct State {
        var reason: StopReason?
        var isKilled = false
        var onStop: (@Sendable (StopReason) -> Void)?
        var onKill: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    package init() {}

    package var reason: StopReason? { state.withLock { $0.reason } }
    package var isStopped: Bool { state.withLock { $0.reason != nil || $0.isKilled } }

    /// Called when the work is to stop, at once where that was so already.
    package func onStop(_ stop: @escaping @Sendable (StopReason) -> Void, kill: @escaping @Sendable () -> Void) {
        let (reason, isKilled) = state.withLock { state in
            (state.onStop, state.onKill) = (stop, kill)
            return (state.reason, state.isKilled)
        }
        if let reason { stop(reason) }
        if isKilled { kill() }
    }

    /// The process has ended: its number may be another's by now.
    package func forget() { state.withLock { ($0.onStop, $0.onKill) = (nil, nil) } }

    func stop(_ reason: StopReason) {
        let stop = state.withLock { state in
            let isNew = state.reason == nil || (reason == .cancel && state.reason != .cancel)
            state.reason = isNew ? reason : state.reason
            return isNew ? state.onStop : nil
        }
        stop?(reason)
    }

    func kill() {
        let kill = state.withLock { state in
            state.isKilled = true
            return state.onKill
        }
        kill?()
    }
}

/// The work was ended before its end, as was wanted.
package struct Stopped: Error {}
