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

    /// Waits for its end, with which the closure is gone. A thread that drops its own owner cannot wait for itself: it ends
    /// by itself then.
    package func join() { if pthread_join(thread, nil) == EDEADLK { detach() } }

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

/// What a thread of its own works out while this one does something else.
package struct Background<Result: Sendable>: Sendable {
    private let answer = BoundedQueue<Result>(capacity: 1)

    /// - Parameter name: as `Thread.init` has it.
    package init(_ name: String, _ work: @escaping @Sendable () -> Result) {
        let answer = answer
        // Where the system refuses another thread, this one does it first.
        do throws(SystemError) { try Thread(name) { try? answer.push(work()) }.detach() } catch {
            try? answer.push(work())
        }
    }

    /// Waits for it. Once: it is nil then.
    package func take() -> Result? { (try? answer.pop()) ?? nil }
}

/// Runs closures side by side, each on a thread of its own; the first failure stops the others.
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

    /// Calls `stop` when the group is stopped; a queue's `cancel`.
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

    /// Ends every thread. The first cause that is not itself a consequence counts.
    package func stop(because error: any Error) {
        let stops = state.withLock { state -> [@Sendable () -> Void] in
            if state.failure == nil, !(error is QueueCancelled) { state.failure = error }
            guard !state.isStopped else { return [] }
            state.isStopped = true
            return state.stops
        }
        stops.forEach { $0() }
    }

    /// Waits until every thread has ended and freed what it had, and calls `tick` several times a second meanwhile.
    ///
    /// - Throws: the first failure.
    package func wait(tick: () -> Void = {}) throws {
        var remaining = state.withLock { $0.running }
        while remaining > 0 {
            if (try? ended.pop(timeoutSeconds: 0.25)) ?? nil != nil { remaining -= 1 } else { tick() }
        }
        // A thread frees its codec after its closure returns. A process that exits in between would crash the driver.
        state.withLock { state -> [Thread] in
            defer { state.threads = [] }
            return state.threads
        }.forEach { $0.join() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}

/// Threads that work until they are told to stop.
package final class StoppableThreads: Sendable {
    private let stopping = Locked(false)
    private let threads = Locked<[Thread]>([])

    package init() {}

    /// For the threads, between two steps.
    package var isStopping: Bool { stopping.withLock(\.self) }

    package func start(_ name: String, _ run: @escaping @Sendable () -> Void) throws(SystemError) {
        let thread = try Thread(name, run)
        threads.withLock { $0.append(thread) }
    }

    /// Waits until they have ended.
    ///
    /// - Parameter wake: ends what they may be waiting for.
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
