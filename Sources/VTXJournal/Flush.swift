import VTXSystem

/// Committed GOPs on their way to the disk.
package struct Flush: Sendable {
    /// Carries out work while its caller goes on.
    package typealias Aside = @Sendable (@escaping @Sendable () -> Void) throws -> Void

    /// On a thread of its own. There is one a second: to start it costs nothing.
    package static let onThread: Aside = { work in try Thread("journal", work).detach() }

    /// Of the GOPs, from the first one on.
    let count: Int
    private let answer = BoundedQueue<Result<Void, JournalError>>(capacity: 1)

    init(
        of count: Int, _ aside: Aside, _ work: @escaping @Sendable () throws(JournalError) -> Void
    ) throws(JournalError) {
        self.count = count
        let done: @Sendable () -> Void = { [answer] in
            try? answer.push(Result { () throws(JournalError) in try work() })
        }
        // Where there is no other thread, this one waits.
        do { try aside(done) } catch { done() }
    }

    /// - Returns: nil while it is not known.
    func result(waits: Bool) -> Result<Void, JournalError>? {
        waits ? try? answer.pop() : (try? answer.pop(timeoutSeconds: 0)) ?? nil
    }
}
