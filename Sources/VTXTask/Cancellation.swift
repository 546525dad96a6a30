import VTXSystem

/// Cancels a running transcode from outside: a signal handler, another thread, a service.
package final class Cancellation: Sendable {
    package enum Reason: String, Sendable, Hashable, Codable {
        case interrupted
        case terminated
    }

    private let state = Locked<State>(State())

    private struct State {
        var reason: Reason?
        var handlers: [@Sendable () -> Void] = []
    }

    private let isOwned: @Sendable () -> Bool

    /// - Parameter isOwned: Whether the program that wants the work still exists.
    package init(isOwned: @escaping @Sendable () -> Bool = { true }) { self.isOwned = isOwned }

    /// Why the work was cancelled; nil if it was not.
    package var reason: Reason? { state.withLock { $0.reason } }

    /// Returns the reason, including one that no thread has heard of yet: that the owner is gone.
    package func checked() -> Reason? {
        if !isOwned() { cancel(.terminated) }
        return reason
    }

    /// The first reason counts; later calls change nothing.
    package func cancel(_ reason: Reason) {
        let handlers = state.withLock { state -> [@Sendable () -> Void] in
            guard state.reason == nil else { return [] }
            state.reason = reason
            return state.handlers
        }
        handlers.forEach { $0() }
    }

    /// Calls `handler` once when the work is cancelled, or immediately if it has been.
    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state -> Bool in
            if state.reason == nil { state.handlers.append(handler) }
            return state.reason != nil
        }
        if isCancelled { handler() }
    }
}
