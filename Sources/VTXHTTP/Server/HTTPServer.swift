import CMicroHTTPD
import Glibc
package import VTXSystem

/// An HTTP/1.1 server with one thread for all connections, and several that answer.
package final class HTTPServer: Sendable {
    package struct Settings: Sendable {
        package var connectionLimit: UInt32 = 1000
        package var addressConnectionLimit: UInt32 = 250
        /// These threads mostly wait for the disk. Concurrent writes are combined, so that on a slow disk more threads
        /// handle more requests per second.
        package var quickThreads = 16
        package var slowThreads = 2
        package var uploadThreads = 4
        /// The timeout for the head of a request, from its first byte to its last.
        package var headSeconds = 15.0
        package var tls: TLS?

        package init() {}
    }

    /// PEM.
    package struct TLS: Sendable {
        package var certificate: String
        package var key: String
        /// The authorities that sign client certificates.
        package var clientAuthorities: String?

        package init(certificate: String, key: String, clientAuthorities: String?) {
            (self.certificate, self.key, self.clientAuthorities) = (certificate, key, clientAuthorities)
        }

        /// Whether the key matches the certificate.
        package var isUsable: Bool {
            http_is_key_pair(certificate, UInt32(certificate.utf8.count), key, UInt32(key.utf8.count)) != 0
        }

        /// Whether the clients' authorities are valid.
        package var hasAuthorities: Bool {
            clientAuthorities.map { http_has_certificates($0, UInt32($0.utf8.count)) != 0 } ?? true
        }
    }

    /// Unchecked: libmicrohttpd is thread-safe.
    private struct Daemon: @unchecked Sendable { var pointer: OpaquePointer }

    let handler: any HTTPHandler
    let connections: ConnectionTable
    private let lanes: [HTTPLane: RequestThreads]
    private let daemon = Locked<Daemon?>(nil)
    private let isEnding = Locked(false)
    private let streams = OpenStreams()
    private let replies = OpenReplies()
    private let sweeper = BoundedQueue<Void>(capacity: 1)
    /// How long a stop waits for clients that receive answers.
    private static let drainSeconds = 2.0

    /// Starts the server.
    ///
    /// - Parameter listener: A listening socket.
    package init(
        _ listener: consuming FileDescriptor, _ settings: Settings, _ handler: any HTTPHandler
    ) throws(SystemError) {
        self.handler = handler
        connections = ConnectionTable(headSeconds: settings.headSeconds)
        lanes = [
            .quick: try RequestThreads("vtx-http", settings.quickThreads, handler, replies),
            .slow: try RequestThreads("vtx-http-slow", settings.slowThreads, handler, replies),
            .upload: try RequestThreads("vtx-http-upload", settings.uploadThreads, handler, replies),
        ]
        let socket = listener.release()
        guard let pointer = start(socket, settings) else {
            close(socket)
            throw SystemError("MHD_start_daemon", errno == 0 ? EINVAL : errno)
        }
        daemon.withLock { $0 = Daemon(pointer: pointer) }
        let (connections, sweeper) = (connections, sweeper)
        try Thread("vtx-http-sweep") {
            do {
                while true {
                    _ = try sweeper.pop(timeoutSeconds: 1)
                    connections.endOverdue()
                }
            } catch {}
        }.detach()
    }

    package var connectionCount: Int { connections.count }

    /// Accepts no more connections and requests, ends the streams, and waits until all requests have been answered.
    ///
    /// libmicrohttpd aborts the process if a connection is still suspended at the end. Only `answer` and streams suspend
    /// one. A reply resumes its connection when it is sent; `endAll` sends those that handlers still keep. A stream that
    /// has ended is not suspended.
    package func stop() {
        guard let daemon = daemon.withLock({ $0.take() }) else { return }
        let listener = MHD_quiesce_daemon(daemon.pointer)
        isEnding.withLock { $0 = true }
        streams.endAll()
        sweeper.cancel()
        lanes.values.forEach { $0.finish() }
        replies.endAll()
        connections.waitForAnswers(upTo: Self.drainSeconds)
        MHD_stop_daemon(daemon.pointer)
        if listener >= 0 { close(listener) }
    }

    private func start(_ socket: Int32, _ settings: Settings) -> OpaquePointer? {
        var native = http_settings()
        native.listen_socket = socket
        native.connection_limit = settings.connectionLimit
        native.address_connection_limit = settings.addressConnectionLimit
        native.idle_timeout = 60
        native.connection_memory = 64 << 10
        native.context = Unmanaged.passUnretained(self).toOpaque()
        native.begin = Self.begin
        native.handle = Self.handle
        native.completed = Self.completed
        native.notified = Self.notified
        guard let tls = settings.tls else { return http_start(&native) }
        return tls.certificate.withCString { certificate in
            tls.key.withCString { key in
                native.certificate = certificate
                native.key = key
                guard let authorities = tls.clientAuthorities else { return http_start(&native) }
                return authorities.withCString {
                    native.client_authorities = $0
                    return http_start(&native)
                }
            }
        }
    }

    /// Suspends the connection until a thread has answered. Once the server is ending, it is closed instead.
    private func answer(_ exchange: Exchange, _ lane: HTTPLane) -> MHD_Result {
        guard !isEnding.withLock(\.self) else {
            exchange.dismiss()
            return .NO
        }
        connections.answers(exchange.connection)
        MHD_suspend_connection(exchange.connection)
        if lanes[lane]?.submit(exchange) != true {
            exchange.dismiss()
            // The handler is called again, and closes the connection because there is no response.
            MHD_resume_connection(exchange.connection)
        }
        return .YES
    }

    private func respond(_ exchange: Exchange, _ response: HTTPResponse) -> MHD_Result {
        exchange.response = response
        connections.answers(exchange.connection)
        if case .stream(let stream) = response.body { streams.opened(stream) }
        return NativeResponse(response, exchange.connection)?.queue() ?? .NO
    }
}

// MARK: libmicrohttpd's callbacks

extension HTTPServer {
    private static func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
        Unmanaged<HTTPServer>.fromOpaque(context!).takeUnretainedValue()
    }

    private static let begin:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            context, uri, connection in
            guard let connection, let uri else { return nil }
            server(context).connections.began(connection)
            return Unmanaged.passRetained(Exchange(connection, String(cString: uri))).toOpaque()
        }

    private static let handle: MHD_AccessHandlerCallback = {
        context, connection, _, method, _, bytes, count, slot in
        guard let object = slot?.pointee, let method, let count else { return .NO }
        let (server, exchange) = (server(context), Unmanaged<Exchange>.fromOpaque(object).takeUnretainedValue())
        let next: Exchange.Next
        if exchange.request == nil {
            next = exchange.begin(String(cString: method), server.handler)
            server.connections.receives(exchange.connection, seconds: exchange.bodySeconds)
        } else if count.pointee > 0 {
            next = exchange.receive(UnsafeRawBufferPointer(start: bytes, count: count.pointee).bytes)
            count.pointee = 0
        } else {
            next = exchange.next()
        }
        return server.perform(next, exchange)
    }

    private func perform(_ next: Exchange.Next, _ exchange: Exchange) -> MHD_Result {
        switch next {
        case .more: return .YES
        case .close: return .NO
        case .respond(let response): return respond(exchange, response)
        case .answer(let lane): return answer(exchange, lane)
        }
    }

    private static let completed: MHD_RequestCompletedCallback = { context, connection, slot, _ in
        guard let object = slot?.pointee else { return }
        slot?.pointee = nil
        let (server, exchange) = (server(context), Unmanaged<Exchange>.fromOpaque(object).takeRetainedValue())
        exchange.ended()
        if case .stream(let stream) = exchange.response?.body { server.streams.closed(stream) }
        server.connections.finished(exchange.connection)
    }

    private static let notified: MHD_NotifyConnectionCallback = { context, connection, _, what in
        guard let connection else { return }
        if what.rawValue == 0 {
            server(context).connections.opened(connection, socket: http_socket(connection))
        } else {
            server(context).connections.closed(connection)
        }
    }
}
