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
