import Glibc
import VTXMedia

/// Runs stages side by side, each on a thread of its own; the first failure stops the others.
///
/// Threads, not tasks: a stage blocks in C for milliseconds to seconds, which Swift's shared pool must not.
package final class StageGroup: Sendable {
    private struct State {
        var running = 0
        var threads: [StageThread] = []
        var failure: (any Error)?
        var stops: [@Sendable () -> Void] = []
        var isStopped = false
    }

    private let state = Locked(State())
    private let ended = BoundedQueue<Void>(capacity: 64)

    package init() {}

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
        let thread = StageThread { [self] in
            do { try body() } catch { stop(because: error) }
            try? ended.push(())
        }
        guard let thread else {
            stop(because: TranscodeError(.internalError, "thread", "cannot start a thread for the stage '\(name)'"))
            try? ended.push(())
            return
        }
        state.withLock { $0.threads.append(thread) }
    }

    /// Ends every stage. The first cause that is not itself a consequence counts.
    package func stop(because error: any Error) {
        let stops = state.withLock { state -> [@Sendable () -> Void] in
            if state.failure == nil, !(error is StageStopped) { state.failure = error }
            guard !state.isStopped else { return [] }
            state.isStopped = true
            return state.stops
        }
        stops.forEach { $0() }
    }

    /// Waits until every stage has ended and let go of what it had, and calls `tick` several times a second meanwhile.
    ///
    /// - Throws: the first failure.
    package func wait(tick: () -> Void = {}) throws {
        var remaining = state.withLock { $0.running }
        while remaining > 0 {
            if (try? ended.pop(timeoutSeconds: 0.25)) ?? nil != nil { remaining -= 1 } else { tick() }
        }
        // A thread frees its codec after its last word. A process that ends meanwhile pulls a GPU's driver from under
        // it.
        state.withLock { state -> [StageThread] in
            defer { state.threads = [] }
            return state.threads
        }.forEach { $0.join() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}

/// A POSIX thread that runs a closure. Someone must join it.
struct StageThread: Sendable {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread: pthread_t

    /// nil where the system refuses another thread.
    init?(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard status == 0 else {
            body.release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for its end, with which the closure is gone.
    func join() { pthread_join(thread, nil) }
}
