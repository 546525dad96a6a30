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
