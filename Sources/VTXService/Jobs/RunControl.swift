package import VTXJobs
import VTXSystem

/// Stops a worker.
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

    /// Sets the handlers for stopping. If a stop has been requested already, `stop` is called immediately.
    package func onStop(_ stop: @escaping @Sendable (StopReason) -> Void, kill: @escaping @Sendable () -> Void) {
        let (reason, isKilled) = state.withLock { state in
            (state.onStop, state.onKill) = (stop, kill)
            return (state.reason, state.isKilled)
        }
        if let reason { stop(reason) }
        if isKilled { kill() }
    }

    /// Removes the handlers after the process has ended, because its id may be reused.
    package func forget() { state.withLock { ($0.onStop, $0.onKill) = (nil, nil) } }

    func stop(_ reason: StopReason) {
        let stop = state.withLock { state in
            let isNew = reason.overrides(state.reason)
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

/// The work was stopped as requested.
package struct Stopped: Error {}
