import VTXSystem

/// A write of committed GOPs to the disk, in the background.
package struct Flush: Sendable {
    /// Runs work without blocking its caller.
    package typealias Executor = @Sendable (@escaping @Sendable () -> Void) throws -> Void

    /// Uses a new thread each time, which costs nothing noticeable at one flush per second.
    package static let onThread: Executor = { work in try Thread("journal", work).detach() }

    /// The number of GOPs on the disk afterwards, counted from the first.
    let count: Int
    private let answer = BoundedQueue<Result<Void, JournalError>>(capacity: 1)

    init(
        of count: Int, _ executor: Executor, _ work: @escaping @Sendable () throws(JournalError) -> Void
    ) throws(JournalError) {
        self.count = count
        let done: @Sendable () -> Void = { [answer] in
            try? answer.push(Result { () throws(JournalError) in try work() })
        }
        // If no thread can be started, the work runs on this one.
        do { try executor(done) } catch { done() }
    }

    /// - Returns: nil while the flush is running.
    func result(waits: Bool) -> Result<Void, JournalError>? {
        waits ? try? answer.pop() : (try? answer.pop(timeoutSeconds: 0)) ?? nil
    }
}
