import CSystem
import Glibc

/// A POSIX thread that runs a closure. It must be joined once.
///
/// A thread instead of a task, because blocking C calls of milliseconds to seconds must not occupy a thread of Swift's
/// pool.
package struct Thread: Sendable {
    private let thread: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Parameter name: The name in debuggers and `top -H`, truncated to 15 bytes.
    /// - Throws: if the system cannot create another thread.
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

    /// Waits until it has ended and released the closure. A thread that releases its own owner cannot join itself, and
    /// is detached.
    package func join() { if pthread_join(thread, nil) == EDEADLK { detach() } }

    /// Lets it end without being joined.
    package func detach() { pthread_detach(thread) }
}

extension Thread {
    /// Runs work that may hang on a separate thread, and waits for it with a timeout.
    ///
    /// - Parameter seconds: The timeout; nil runs the work on this thread without one.
    /// - Returns: the result; nil after the timeout. The thread continues, and its result is discarded.
    /// - Throws: if the system cannot create another thread.
    package static func run<Result: Sendable>(
        within seconds: Double?, _ name: String, _ work: @escaping @Sendable () -> Result
    ) throws(SystemError) -> Result? {
        guard let seconds else { return work() }
        let answer = BoundedQueue<Result>(capacity: 1)
        try Thread(name) { try? answer.push(work()) }.detach()
        // After a timeout, the queue is released with its contents.
        return (try? answer.pop(timeoutSeconds: seconds)) ?? nil
    }
}

/// A result computed on another thread in the background.
package struct Background<Result: Sendable>: Sendable {
    private let answer = BoundedQueue<Result>(capacity: 1)

    /// - Parameter name: As for `Thread.init`.
    package init(_ name: String, _ work: @escaping @Sendable () -> Result) {
        let answer = answer
        // If the system cannot create another thread, this one does the work first.
        do throws(SystemError) { try Thread(name) { try? answer.push(work()) }.detach() } catch {
            try? answer.push(work())
        }
    }

    /// Waits for the result. Call it once: after that, it is nil.
    package func take() -> Result? { (try? answer.pop()) ?? nil }
}

/// Runs closures on parallel threads. The first failure stops the others.
package final class ThreadGroup: Sendable {
    private struct State {
        var running = 0
        var threads: [Thread] = []
        var failure: (any Error)?
        var stops: [@Sendable () -> Void] = []
        var isStopped = false
    }

    private let state = Locked(State())
    private let ended = BoundedQueue<Void>(capacity: 64)

    package init() {}

    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Calls `stop` when the group is stopped, for example a queue's `cancel`.
    package func onStop(_ stop: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state -> Bool in
            state.stops.append(stop)
            return state.isStopped
        }
        if isStopped { stop() }
    }

    package func run(_ name: String, _ body: @escaping @Sendable () throws -> Void) {
        state.withLock { $0.running += 1 }
        do throws(SystemError) {
            let thread = try Thread(name) { [self] in
                do { try body() } catch { stop(because: error) }
                try? ended.push(())
            }
            state.withLock { $0.threads.append(thread) }
        } catch {
            stop(because: error)
            try? ended.push(())
        }
    }

    /// Stops all threads. The first error that is not a consequence of another one is kept.
    package func stop(because error: any Error) {
        let stops = state.withLock { state -> [@Sendable () -> Void] in
            if state.failure == nil, !(error is QueueCancelled) { state.failure = error }
            guard !state.isStopped else { return [] }
            state.isStopped = true
            return state.stops
        }
        stops.forEach { $0() }
    }

    /// Waits until all threads have ended and released their resources, calling `tick` several times per second.
    ///
    /// - Throws: the first failure.
    package func wait(tick: () -> Void = {}) throws {
        var remaining = state.withLock { $0.running }
        while remaining > 0 {
            if (try? ended.pop(timeoutSeconds: 0.25)) ?? nil != nil { remaining -= 1 } else { tick() }
        }
        // A thread frees its codec after its closure returns. If the process exited in between, the driver would crash.
        state.withLock { state -> [Thread] in
            defer { state.threads = [] }
            return state.threads
        }.forEach { $0.join() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}

/// Threads that run until they are stopped.
package final class StoppableThreads: Sendable {
    private let stopping = Locked(false)
    private let threads = Locked<[Thread]>([])

    package init() {}

    /// Checked by the threads between two steps.
    package var isStopping: Bool { stopping.withLock(\.self) }

    package func start(_ name: String, _ run: @escaping @Sendable () -> Void) throws(SystemError) {
        let thread = try Thread(name, run)
        threads.withLock { $0.append(thread) }
    }

    /// Stops the threads and waits until they have ended.
    ///
    /// - Parameter wake: Interrupts their waits.
    package func stop(wake: () -> Void = {}) {
        stopping.withLock { $0 = true }
        wake()
        let started = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        started.forEach { $0.join() }
    }
}
