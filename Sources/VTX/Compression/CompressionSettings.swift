import VTXMedia
import VTXSession

/// What callers on any thread and the session's queue both look at.
final class CompressionSettings: Sendable {
    struct Device: Sendable {
        var name: String
        var isHardware: Bool
    }

    private struct State {
        var configuration: VideoEncoderConfiguration
        var isRefreshing = false
        var isInvalid = false
        var device: Device?
        var pendingCount = 0
        var waitingCount = 0
    }

    private let state: Locked<State>

    init(_ configuration: VideoEncoderConfiguration) { state = Locked(State(configuration: configuration)) }

    var configuration: VideoEncoderConfiguration { state.withLock { $0.configuration } }
    var isInvalid: Bool { state.withLock { $0.isInvalid } }
    var device: Device? { state.withLock { $0.device } }
    var pendingCount: Int { state.withLock { $0.pendingCount } }

    func change(to configuration: VideoEncoderConfiguration) { state.withLock { $0.configuration = configuration } }
    func refresh() { state.withLock { $0.isRefreshing = true } }
    func invalidate() { state.withLock { $0.isInvalid = true } }
    func note(_ device: Device) { state.withLock { $0.device = device } }
    func note(pendingCount: Int) { state.withLock { $0.pendingCount = pendingCount } }

    /// Whether ``VideoSession/refresh()`` was called since the last time.
    func takeRefresh() -> Bool {
        state.withLock { state in
            defer { state.isRefreshing = false }
            return state.isRefreshing
        }
    }

    /// - Returns: false where too many frames wait already.
    func admit() -> Bool {
        state.withLock { state in
            guard state.waitingCount < CompressionSession.maxWaitingFrames else { return false }
            state.waitingCount += 1
            return true
        }
    }

    func noteStart() { state.withLock { $0.waitingCount -= 1 } }
}
