import VTXMedia
import VTXSystem

/// The state shared by callers on any thread and the session's queue.
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

    /// Changes the configuration, or nothing if the change is rejected. Retries if another change comes first.
    func change(_ body: (inout VideoEncoderConfiguration) throws(SessionError) -> Void) throws(SessionError) {
        var isDone = false
        while !isDone {
            let before = configuration
            var after = before
            try body(&after)
            isDone = state.withLock { state in
                guard state.configuration == before else { return false }
                state.configuration = after
                return true
            }
        }
    }

    func note(_ device: CapabilityMatrix) {
        state.withLock { $0.device = Device(name: device.deviceName, isHardware: device.isHardware) }
    }

    func note(pendingCount: Int) { state.withLock { $0.pendingCount = pendingCount } }

    /// - Returns: false if too many frames are waiting.
    func admit() -> Bool {
        state.withLock { state in
            guard state.waitingCount < CompressionSession.maxWaitingFrames else { return false }
            state.waitingCount += 1
            return true
        }
    }

    func noteStart() { state.withLock { $0.waitingCount -= 1 } }
}
