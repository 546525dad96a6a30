import VTXSystem

/// The streams that are being sent. Only the server knows all of them when it stops: a client may open one at any time.
final class OpenStreams: Sendable {
    private struct State {
        var streams: [ObjectIdentifier: HTTPStream] = [:]
        var isEnding = false
    }

    private let state = Locked(State())

    /// After `endAll` the stream ends at once.
    func opened(_ stream: HTTPStream) {
        let isEnding = state.withLock { state in
            state.streams[ObjectIdentifier(stream)] = stream
            return state.isEnding
        }
        if isEnding { stream.end() }
    }

    func closed(_ stream: HTTPStream) { state.withLock { $0.streams[ObjectIdentifier(stream)] = nil } }

    func endAll() {
        let streams = state.withLock { state in
            state.isEnding = true
            return Array(state.streams.values)
        }
        streams.forEach { $0.end() }
    }
}
