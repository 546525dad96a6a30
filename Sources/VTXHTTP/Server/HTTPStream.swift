import CMicroHTTPD
import VTXSystem

/// A response that goes on: what is sent goes to the client as soon as the client takes it.
///
/// A client that does not keep up is let go; it comes back and says what it has.
package final class HTTPStream: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var isEnded = false
        /// The connection sleeps until there is something to send.
        var sleeping: OpaquePointer?
        var onClose: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    /// Bytes that wait for a slow client.
    private let limit: Int

    package init(limit: Int = 1 << 20) { self.limit = limit }

    /// - Returns: false where the client has gone.
    @discardableResult
    package func send(_ text: String) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            if state.waiting.count + text.utf8.count > limit {
                state.isEnded = true
            } else {
                state.waiting += Array(text.utf8)
            }
            Self.wake(&state)
            return !state.isEnded
        }
    }

    /// What was sent still goes out.
    package func end() {
        state.withLock { state in
            state.isEnded = true
            Self.wake(&state)
        }
    }

    /// Called once, when the connection has ended.
    package func onClose(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onClose = body } }

    func closed() {
        let body = state.withLock { state in
            state.isEnded = true
            state.sleeping = nil
            defer { state.onClose = nil }
            return state.onClose
        }
        body?()
    }

    /// Between lock and unlock: the connection is resumed once for each time that it was suspended.
    private static func wake(_ state: inout State) {
        guard let connection = state.sleeping else { return }
        state.sleeping = nil
        MHD_resume_connection(connection)
    }

    /// Called by the server's thread when the client takes more.
    ///
    /// - Returns: bytes; 0 when the connection was suspended.
    func read(into buffer: UnsafeMutableRawBufferPointer, _ connection: OpaquePointer) -> Int {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                if state.isEnded { return Int(bitPattern: UInt.max) }
                state.sleeping = connection
                MHD_suspend_connection(connection)
                return 0
            }
            let count = min(buffer.count, state.waiting.count)
            buffer.copyBytes(from: state.waiting.prefix(count))
            state.waiting.removeFirst(count)
            return count
        }
    }
}
