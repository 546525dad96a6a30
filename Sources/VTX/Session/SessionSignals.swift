import Dispatch
import VTXMedia
import VTXSystem

/// Requests from any thread that the session's queue picks up before its next frame.
final class SessionSignals: Sendable {
    private struct State {
        var isRefreshing = false
        var isInvalid = false
    }

    private let state = Locked(State())

    var isInvalid: Bool { state.withLock { $0.isInvalid } }

    func refresh() { state.withLock { $0.isRefreshing = true } }
    func invalidate() { state.withLock { $0.isInvalid = true } }

    /// Whether ``VideoSession/refresh()`` has been called since the previous call.
    func takeRefresh() -> Bool {
        state.withLock { state in
            defer { state.isRefreshing = false }
            return state.isRefreshing
        }
    }

    /// - Throws: `.invalidSession` after ``VideoSession/invalidate()``.
    func check() throws(SessionError) {
        if isInvalid { throw SessionError(.invalidSession, "the session has been invalidated") }
    }
}

/// The serial queue of a session, as the executor of its actor. C calls that block for milliseconds therefore do not
/// occupy a thread of the cooperative pool.
final class SessionQueue: SerialExecutor {
    private let queue: DispatchQueue
    private let key = DispatchSpecificKey<Bool>()

    init(label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: key, value: true)
    }

    /// Whether the caller runs on this queue, as a session's handler does.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs a closure after those queued before it, without waiting.
    func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Runs a closure on the queue and returns its result.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in async { continuation.resume(returning: body()) } }
    }
}

extension SessionQueue {
    /// Runs a task and blocks the calling thread until it has ended.
    func waiting(_ body: @escaping @Sendable () async throws(SessionError) -> Void) throws(SessionError) {
        try checkCaller()
        try waitForTask(body)
    }

    /// - Throws: `.badParameter` on the queue itself, which a caller must not wait for.
    func checkCaller() throws(SessionError) {
        guard !isCurrent else {
            throw SessionError(.badParameter, "a handler cannot wait for its own session; a task that it starts can")
        }
    }
}

/// Runs a task and blocks the calling thread until it has ended.
func waitForTask<Failure: Error>(_ body: @escaping @Sendable () async throws(Failure) -> Void) throws(Failure) {
    let done = DispatchSemaphore(value: 0)
    let failure = Locked<Failure?>(nil)
    Task.detached {
        do throws(Failure) { try await body() } catch { failure.withLock { $0 = error } }
        done.signal()
    }
    done.wait()
    if let error = failure.withLock({ $0 }) { throw error }
}
