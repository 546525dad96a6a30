import VTXSystem

/// A value passed from one thread to another.
final class Answer<Value: Sendable>: Sendable {
    private let queue = BoundedQueue<Value>(capacity: 1)

    func give(_ value: Value) { try? queue.push(value) }
    /// nil if the other side has ended.
    func wait() -> Value? { (try? queue.pop()) ?? nil }
    func wait(seconds: Double) -> Value? { (try? queue.pop(timeoutSeconds: seconds)) ?? nil }
    func cancel() { queue.cancel() }
}
