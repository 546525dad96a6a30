import CMicroHTTPD
import Glibc
import VTXSystem

/// The open connections and when each opened: one that sends nothing is closed.
///
/// libmicrohttpd ends a connection that is silent. One that sends a byte now and then (slow loris) is ended here: a
/// request's head and a small body have to come within a few seconds.
final class ConnectionTable: Sendable {
    private struct Connection {
        var socket: Int32
        /// When the request that is expected began; nil while one is answered.
        var receivingSince: Double?
        var seconds: Double
    }

    private let connections = Locked<[OpaquePointerKey: Connection]>([:])
    private let headSeconds: Double
    /// A connection that waits for the next request may do so for longer.
    private static let keepAliveSeconds = 75.0

    init(headSeconds: Double) { self.headSeconds = headSeconds }

    /// Unchecked: it is compared and handed back, never read through.
    private struct OpaquePointerKey: Hashable, @unchecked Sendable { var pointer: OpaquePointer }

    func opened(_ connection: OpaquePointer, socket: Int32) {
        set(connection) { Connection(socket: socket, receivingSince: MonotonicClock.seconds, seconds: headSeconds) }
    }

    func closed(_ connection: OpaquePointer) {
        connections.withLock { _ = $0.removeValue(forKey: OpaquePointerKey(pointer: connection)) }
    }

    /// A request's first line is there.
    func began(_ connection: OpaquePointer) { change(connection, headSeconds) }

    /// The head is there; the body has this many seconds; nil for as long as bytes come.
    func receives(_ connection: OpaquePointer, seconds: Double?) { change(connection, seconds) }

    func answers(_ connection: OpaquePointer) { change(connection, nil) }

    func finished(_ connection: OpaquePointer) { change(connection, Self.keepAliveSeconds) }

    private func change(_ connection: OpaquePointer, _ seconds: Double?) {
        connections.withLock { connections in
            let key = OpaquePointerKey(pointer: connection)
            connections[key]?.receivingSince = seconds == nil ? nil : MonotonicClock.seconds
            connections[key]?.seconds = seconds ?? 0
        }
    }

    private func set(_ connection: OpaquePointer, _ value: () -> Connection) {
        connections.withLock { $0[OpaquePointerKey(pointer: connection)] = value() }
    }

    /// Ends those whose time is over. The socket stays open until `closed`, so its number is theirs.
    func endOverdue() {
        connections.withLock { connections in
            for connection in connections.values {
                guard let since = connection.receivingSince, MonotonicClock.seconds - since > connection.seconds else {
                    continue
                }
                shutdown(connection.socket, Int32(SHUT_RDWR))
            }
        }
    }

    var count: Int { connections.withLock { $0.count } }
}

/// Threads that answer requests; each request has one for as long as its answer takes.
final class RequestThreads: Sendable {
    private let waiting: BoundedQueue<Exchange>
    private let threads: [Thread]

    init(_ name: String, _ count: Int, _ handler: any HTTPHandler) throws(SystemError) {
        // No connection waits here twice: more than the server's connections cannot come.
        let waiting = BoundedQueue<Exchange>(capacity: 65536)
        self.waiting = waiting
        var threads: [Thread] = []
        for _ in 0..<count { threads.append(try Thread(name) { Self.run(waiting, handler) }) }
        self.threads = threads
    }

    func submit(_ exchange: Exchange) { try? waiting.push(exchange) }

    /// Answers what is waiting, then ends.
    func finish() {
        waiting.finish()
        threads.forEach { $0.join() }
    }

    private static func run(_ waiting: BoundedQueue<Exchange>, _ handler: any HTTPHandler) {
        while let exchange = (try? waiting.pop()) ?? nil {
            guard let request = exchange.request else { continue }
            exchange.response = handler.respond(to: request)
            MHD_resume_connection(exchange.connection)
        }
    }
}
