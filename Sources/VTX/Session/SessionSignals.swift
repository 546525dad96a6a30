import VTXMedia
import VTXSystem

/// What callers on any thread tell a session, whose queue looks at it when it comes to it.
final class SessionSignals: Sendable {
    private struct State {
        var isRefreshing = false
        var isInvalid = false
    }

    private let state = Locked(State())

    var isInvalid: Bool { state.withLock { $0.isInvalid } }

    func refresh() { state.withLock { $0.isRefreshing = true } }
    func invalidate() { state.withLock { $0.isInvalid = true } }

    /// Whether ``VideoSession/refresh()`` was called since the last time.
    func takeRefresh() -> Bool {
        state.withLock { state in
            defer { state.isRefreshing = false }
            return state.isRefreshing
        }
    }

    /// - Throws: `.invalidSession` after ``VideoSession/invalidate()``.
    func check() throws(SessionError) {
        if isInvalid { throw SessionError(.invalidSession, "the session has been invalidated") }
    }
}
