import CSystem
import Glibc

/// A POSIX thread that runs a closure. It is joined once.
///
/// A thread, not a task: C that blocks for milliseconds to seconds must not take a thread of Swift's pool.
package struct Thread: Sendable {
    private let thread: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Parameter name: as debuggers and `top -H` show it; 15 bytes of it.
    /// - Throws: where the system refuses another thread.
    package init(_ name: String, _ run: @escaping @Sendable () -> Void) throws(SystemError) {
        let body = Unmanaged.passRetained(
            Body {
                pthread_setname_np(pthread_self(), String(decoding: name.utf8.prefix(15), as: UTF8.self))
                run()
            })
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, Self.start, body.toOpaque())
        guard code == 0 else {
            body.release()
            throw SystemError("pthread_create", code)
        }
        self.thread = thread
    }

    private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { body in
        if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        return nil
    }

    /// Waits for its end, with which the closure is gone.
    package func join() { pthread_join(thread, nil) }

    /// Lets it end by itself.
    package func detach() { pthread_detach(thread) }
}

extension Thread {
    /// Runs work that may never come back on a thread of its own, and waits for it no longer than so.
    ///
    /// - Parameter seconds: nil for ever, on this thread.
    /// - Returns: nil where the time is over. The thread stays; what the work still returns is dropped.
    /// - Throws: where the system refuses another thread.
    package static func run<Result: Sendable>(
        within seconds: Double?, _ name: String, _ work: @escaping @Sendable () -> Result
    ) throws(SystemError) -> Result? {
        guard let seconds else { return work() }
        let answer = BoundedQueue<Result>(capacity: 1)
        try Thread(name) { try? answer.push(work()) }.detach()
        // Who waits no longer drops the queue with what comes into it.
        return (try? answer.pop(timeoutSeconds: seconds)) ?? nil
    }
}
