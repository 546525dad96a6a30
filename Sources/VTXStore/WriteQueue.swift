import VTXJobs
import VTXSystem

/// The only writer. It writes pending changes in one transaction, because a flush of the disk costs the same for one
/// job as for a hundred.
final class WriteQueue: Sendable {
    private typealias Body = (SQLiteConnection) throws(StoreError) -> Void

    private final class Entry: Sendable {
        let body: @Sendable (SQLiteConnection) throws(StoreError) -> Void
        let done: @Sendable (StoreError?) -> Void

        init(
            _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Void,
            _ done: @escaping @Sendable (StoreError?) -> Void
        ) {
            self.body = body
            self.done = done
        }
    }

    private let entries = BoundedQueue<Entry>(capacity: 1024)
    private let thread: Thread
    private let isClosed = Locked(false)
    private static let largestBatch = 256

    /// - Parameter connection: From here on, only the queue's thread uses it.
    init(_ connection: sending SQLiteConnection) throws(SystemError) {
        let (entries, owned) = (entries, Owned(connection))
        thread = try Thread("vtx-store") { Self.run(entries, owned.connection) }
    }

    /// Unchecked: passed to one thread.
    private final class Owned: @unchecked Sendable {
        let connection: SQLiteConnection
        init(_ connection: SQLiteConnection) { self.connection = connection }
    }

    deinit { close() }

    /// Writes pending changes, then ends the thread.
    func close() {
        guard
            !isClosed.withLock({ closed in
                defer { closed = true }
                return closed
            })
        else { return }
        entries.finish()
        thread.join()
    }

    /// Writes changes and waits until they are on the disk.
    ///
    /// - Parameter written: Called then, on the queue's thread, in the order of the changes.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Result,
        written: @escaping @Sendable (Result) -> Void = { _ in }
    ) throws(StoreError) -> Result {
        let answer = BoundedQueue<Swift.Result<Result, StoreError>>(capacity: 1)
        let result = Locked<Result?>(nil)
        let entry = Entry { connection throws(StoreError) in
            let value = try body(connection)
            result.withLock { $0 = value }
        } _: { error in
            guard error == nil, let value = result.withLock({ $0 }) else {
                try? answer.push(.failure(error ?? StoreError(.failed, "the store was closed")))
                return
            }
            written(value)
            try? answer.push(.success(value))
        }
        guard (try? entries.push(entry)) != nil, let outcome = try? answer.pop() else {
            throw StoreError(.failed, "the store was closed")
        }
        return try outcome.get()
    }

    private static func run(_ entries: BoundedQueue<Entry>, _ connection: SQLiteConnection) {
        while let first = try? entries.pop() {
            var batch = [first]
            while batch.count < largestBatch, let next = (try? entries.pop(timeoutSeconds: 0)) ?? nil {
                batch.append(next)
            }
            write(batch, connection)
        }
    }

    /// Writes all in one transaction. If that fails, each in its own, so that one cannot affect the others.
    private static func write(_ batch: [Entry], _ connection: SQLiteConnection) {
        do throws(StoreError) {
            try connection.transaction { () throws(StoreError) in
                for entry in batch { try entry.body(connection) }
            }
            batch.forEach { $0.done(nil) }
        } catch {
            guard batch.count > 1 else { return batch[0].done(error) }
            batch.forEach { write([$0], connection) }
        }
    }
}
