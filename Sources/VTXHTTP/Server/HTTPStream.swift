import CMicroHTTPD
import Glibc
import VTXSystem

/// A streaming response: data is sent as soon as the client accepts it.
///
/// A client that is too slow is disconnected; it reconnects with the ID of its last event.
package final class HTTPStream: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// The number of buffered bytes that have been sent. They are removed once they are half of the buffer: moving
        /// megabytes for each packet would block the thread of all connections.
        var sentCount = 0
        var waitingCount: Int { waiting.count - sentCount }
        var isEnded = false
        /// The connection, suspended until there is data.
        var sleeping: OpaquePointer?
        var onClose: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    /// The maximum number of bytes buffered for a slow client.
    private let limit: Int

    package init(limit: Int = 1 << 20) { self.limit = limit }

    /// - Returns: false if the client has disconnected.
    @discardableResult
    package func send(_ text: String) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            if state.waitingCount + text.utf8.count > limit {
                state.isEnded = true
            } else {
                state.waiting += Array(text.utf8)
            }
            Self.wake(&state)
            return !state.isEnded
        }
    }

    /// Ends the stream after sending the buffered data.
    package func end() {
        state.withLock { state in
            state.isEnded = true
            Self.wake(&state)
        }
    }

    /// Calls `body` once when the connection has closed.
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

    /// Called while locked, so that the connection is resumed once per suspension.
    private static func wake(_ state: inout State) {
        guard let connection = state.sleeping else { return }
        state.sleeping = nil
        MHD_resume_connection(connection)
    }

    /// Called by the server's thread when the client accepts more data.
    ///
    /// - Returns: the number of bytes; 0 if the connection was suspended.
    func read(into buffer: UnsafeMutableRawBufferPointer, _ connection: OpaquePointer) -> Int {
        state.withLock { state in
            guard state.waitingCount > 0 else {
                if state.isEnded { return Int(bitPattern: UInt.max) }
                state.sleeping = connection
                MHD_suspend_connection(connection)
                return 0
            }
            let count = min(buffer.count, state.waitingCount)
            buffer.copyBytes(from: state.waiting[state.sentCount...].prefix(count))
            state.sentCount += count
            if state.sentCount * 2 >= state.waiting.count {
                state.waiting.removeFirst(state.sentCount)
                state.sentCount = 0
            }
            return count
        }
    }
}

/// A response as libmicrohttpd's type.
struct NativeResponse {
    private let pointer: OpaquePointer
    private let connection: OpaquePointer
    private let status: UInt32

    init?(_ response: HTTPResponse, _ connection: OpaquePointer) {
        guard let pointer = Self.make(response.body, connection) else { return nil }
        self.pointer = pointer
        self.connection = connection
        status = UInt32(response.status)
        for (name, value) in response.headers { MHD_add_response_header(pointer, name, value) }
    }

    /// - Returns: the handler's return value for libmicrohttpd.
    func queue() -> MHD_Result {
        defer { MHD_destroy_response(pointer) }
        return MHD_queue_response(connection, status, pointer)
    }

    private static func make(_ body: HTTPResponse.Body, _ connection: OpaquePointer) -> OpaquePointer? {
        switch body {
        case .none: return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { buffer in
                MHD_create_response_from_buffer(
                    buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .file(let file, let offset, let count):
            // The response closes its descriptor.
            guard let copy = try? FileDescriptor(duplicating: file.descriptor.number) else { return nil }
            return MHD_create_response_from_fd_at_offset64(UInt64(count), copy.release(), UInt64(offset))
        case .stream(let stream):
            let source = Source(stream, connection)
            return MHD_create_response_from_callback(
                UInt64.max, 16 << 10, Source.read, Unmanaged.passRetained(source).toOpaque(), Source.free)
        }
    }

    /// A stream and its connection.
    private final class Source {
        private let stream: HTTPStream
        private let connection: OpaquePointer

        init(_ stream: HTTPStream, _ connection: OpaquePointer) {
            (self.stream, self.connection) = (stream, connection)
        }

        static let read: MHD_ContentReaderCallback = { object, _, buffer, count in
            let source = Unmanaged<Source>.fromOpaque(object!).takeUnretainedValue()
            let read = source.stream.read(
                into: UnsafeMutableRawBufferPointer(start: buffer, count: count), source.connection)
            // MHD_CONTENT_READER_END_OF_STREAM
            return read < 0 ? -1 : read
        }

        static let free: MHD_ContentReaderFreeCallback = { object in
            guard let object else { return }
            Unmanaged<Source>.fromOpaque(object).takeRetainedValue().stream.closed()
        }
    }
}
