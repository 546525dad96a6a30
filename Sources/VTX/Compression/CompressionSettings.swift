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
        var device: Device?
        var pendingCount = 0
        var waitingCount = 0
    }

    let signals = SessionSignals()
    private let state: Locked<State>

    init(_ configuration: VideoEncoderConfiguration) { state = Locked(State(configuration: configuration)) }

    var configuration: VideoEncoderConfiguration { state.withLock { $0.configuration } }
    var device: Device? { state.withLock { $0.device } }
    var pendingCount: Int { state.withLock { $0.pendingCount } }

    func change(to configuration: VideoEncoderConfiguration) { state.withLock { $0.configuration = configuration } }
    func note(_ device: Device) { state.withLock { $0.device = device } }
    func note(pendingCount: Int) { state.withLock { $0.pendingCount = pendingCount } }

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
