import VTXMedia
import VTXSystem

/// The state shared by callers on any thread and the session's queue.
final class DecompressionState: Sendable {
    private struct State {
        var isRealTime: Bool
        var isUsingHardware = false
        var droppedCount = 0
        var decoderCount = 0
        var submissionCount = 0
    }

    let signals = SessionSignals()
    private let state: Locked<State>

    init(isRealTime: Bool) { state = Locked(State(isRealTime: isRealTime)) }

    var isRealTime: Bool { state.withLock { $0.isRealTime } }
    var isUsingHardware: Bool { state.withLock { $0.isUsingHardware } }
    var droppedCount: Int { state.withLock { $0.droppedCount } }
    var decoderCount: Int { state.withLock { $0.decoderCount } }

    func setRealTime(_ value: Bool) { state.withLock { $0.isRealTime = value } }
    func note(droppedCount: Int) { state.withLock { $0.droppedCount = droppedCount } }

    /// - Throws: `.notAvailableNow` if too many submissions are waiting.
    func admitSubmission() throws(SessionError) {
        let isAdmitted = state.withLock { state in
            guard state.submissionCount < DecompressionSession.maxWaitingSubmissions else { return false }
            state.submissionCount += 1
            return true
        }
        guard isAdmitted else {
            throw SessionError(
                .notAvailableNow, "\(DecompressionSession.maxWaitingSubmissions) submissions wait to be decoded")
        }
    }

    func noteSubmissionDone() { state.withLock { $0.submissionCount -= 1 } }

    func noteDecoder(isHardware: Bool) {
        state.withLock { state in
            state.isUsingHardware = isHardware
            state.decoderCount += 1
        }
    }
}
