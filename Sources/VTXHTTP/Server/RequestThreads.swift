import CMicroHTTPD
import VTXSystem

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
