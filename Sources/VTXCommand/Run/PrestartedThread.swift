import Dispatch
import VTXMedia
import VTXSystem

/// A thread that waits for the one thing it is to do. It is started before it is needed: by then the system may have no
/// other to give, and Dispatch would wait for one for ever.
final class PrestartedThread<Value: Sendable>: Sendable {
    private let body: @Sendable (Value) -> Void
    private let value = Locked<Value?>(nil)
    private let isWanted = DispatchSemaphore(value: 0)
    private let isDone = DispatchSemaphore(value: 0)
    private let isStarted: Bool

    init(_ body: @escaping @Sendable (Value) -> Void) {
        self.body = body
        let (value, isWanted, isDone) = (value, isWanted, isDone)
        isStarted = DetachedThread.start {
            isWanted.wait()
            if let value = value.withLock(\.self) { body(value) }
            isDone.signal()
        }
    }

    /// Has it done, once. Where no thread could be started it is done here.
    func run(_ value: Value) {
        guard isStarted else {
            body(value)
            isDone.signal()
            return
        }
        self.value.withLock { $0 = value }
        isWanted.signal()
    }

    /// Waits until it has been done, but no longer than so.
    func wait(milliseconds: Int) { _ = isDone.wait(timeout: .now() + .milliseconds(milliseconds)) }
}
