import Dispatch

/// The serial queue of one session, as the executor of its actor: C calls that block for milliseconds do not take a
/// thread away from everybody else's tasks.
final class SessionQueue: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// For callers that cannot wait. It runs after what was put in before.
    func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
