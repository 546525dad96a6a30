/// How long to wait for a lock that another process has, and that it is about to give up.
package struct LockTimeout: Sendable {
    private let seconds: Double
    private let pause: @Sendable () -> Void

    /// - Parameter pause: what happens between two looks at the lock.
    package init(seconds: Double, pause: @escaping @Sendable () -> Void = { Poll.wait(for: [], seconds: 0.02) }) {
        self.seconds = seconds
        self.pause = pause
    }

    package static let none = LockTimeout(seconds: 0)
    /// A worker whose owner was killed ends within ten seconds.
    package static let worker = LockTimeout(seconds: 12)

    /// Calls `attempt` until it gives something, or the time is over.
    ///
    /// - Parameter attempt: nil for a lock that may soon be free.
    package func wait<Result: ~Copyable, Failure: Error>(
        for attempt: () throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        let end = MonotonicClock.seconds + seconds
        while true {
            if let result = try attempt() { return result }
            guard MonotonicClock.seconds < end else { return nil }
            pause()
        }
    }
}
