import CMicroHTTPD
import Glibc
import VTXSystem

/// The open connections and their deadlines.
///
/// libmicrohttpd closes idle connections. This table also closes those that send a byte now and then (slow loris): a
/// request's head and a small body must arrive within a few seconds.
final class ConnectionTable: Sendable {
    private struct Connection {
        var socket: Int32
        /// When the current request started; nil while it is being answered.
        var receivingSince: Double?
        var seconds: Double
        var isAnswering = false
    }

    private let connections = Locked<[OpaquePointerKey: Connection]>([:])
    private let headSeconds: Double
    /// The timeout for the next request on a connection.
    private static let keepAliveSeconds = 75.0

    init(headSeconds: Double) { self.headSeconds = headSeconds }

    /// Unchecked: it is only compared and passed back, never dereferenced.
    private struct OpaquePointerKey: Hashable, @unchecked Sendable { var pointer: OpaquePointer }

    func opened(_ connection: OpaquePointer, socket: Int32) {
        set(connection) { Connection(socket: socket, receivingSince: MonotonicClock.seconds, seconds: headSeconds) }
    }

    func closed(_ connection: OpaquePointer) {
        connections.withLock { _ = $0.removeValue(forKey: OpaquePointerKey(pointer: connection)) }
    }

    /// The first line of a request has arrived.
    func began(_ connection: OpaquePointer) { change(connection, headSeconds) }

    /// The head has arrived. The body must arrive within this many seconds; nil for no limit.
    func receives(_ connection: OpaquePointer, seconds: Double?) { change(connection, seconds) }

    func answers(_ connection: OpaquePointer) { change(connection, nil, isAnswering: true) }

    func finished(_ connection: OpaquePointer) { change(connection, Self.keepAliveSeconds) }

    private func change(_ connection: OpaquePointer, _ seconds: Double?, isAnswering: Bool = false) {
        connections.withLock { connections in
            let key = OpaquePointerKey(pointer: connection)
            connections[key]?.receivingSince = seconds == nil ? nil : MonotonicClock.seconds
            connections[key]?.seconds = seconds ?? 0
            connections[key]?.isAnswering = isAnswering
        }
    }

    private func set(_ connection: OpaquePointer, _ value: () -> Connection) {
        connections.withLock { $0[OpaquePointerKey(pointer: connection)] = value() }
    }

    /// Closes connections after their deadline. The socket stays open until `closed`, so that its number is not reused.
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

    /// Waits until the clients have their answers, which a client that does not read never has.
    func waitForAnswers(upTo seconds: Double) {
        let end = MonotonicClock.seconds + seconds
        while MonotonicClock.seconds < end, connections.withLock({ $0.values.contains(where: \.isAnswering) }) {
            usleep(5000)
        }
    }
}

/// The threads that answer requests, one per request.
final class RequestThreads: Sendable {
    private let waiting: BoundedQueue<Exchange>
    private let threads: [Thread]
    private let isFinished = Locked(false)

    init(_ name: String, _ count: Int, _ handler: any HTTPHandler, _ replies: OpenReplies) throws(SystemError) {
        // Each connection waits at most once, so this exceeds the server's limit on connections.
        let waiting = BoundedQueue<Exchange>(capacity: 65536)
        self.waiting = waiting
        var threads: [Thread] = []
        for _ in 0..<count { threads.append(try Thread(name) { Self.run(waiting, handler, replies) }) }
        self.threads = threads
    }

    /// - Returns: whether the exchange will be answered; after `finish` none is.
    func submit(_ exchange: Exchange) -> Bool {
        isFinished.withLock { isFinished in !isFinished && (try? waiting.push(exchange)) != nil }
    }

    /// Lets the handler answer the requests that wait for a thread, then ends.
    func finish() {
        isFinished.withLock { $0 = true }
        waiting.finish()
        threads.forEach { $0.join() }
    }

    private static func run(_ waiting: BoundedQueue<Exchange>, _ handler: any HTTPHandler, _ replies: OpenReplies) {
        while let exchange = (try? waiting.pop()) ?? nil {
            if let request = exchange.request { handler.answer(request, replies.open(exchange)) }
        }
    }
}
