import VTXLibVA
import VTXSystem

/// Watches how long this process keeps the engines of GPUs busy. Any thread may call it, as often as it likes.
package final class EngineWatch: Sendable {
    private struct State {
        /// nil before it begins: nothing looks at a GPU then.
        var meter: EngineMeter?
        var next = 0.0
    }

    private let state = Locked(State())
    /// Seconds from one look to the next one.
    private static let interval = 2.0

    package init() {}

    /// A GPU is used from now on.
    package func begin() {
        state.withLock { $0.meter = $0.meter ?? EngineMeter() }
        look(isUrgent: true)
    }

    /// - Parameter isUrgent: whatever the time is.
    package func look(isUrgent: Bool = false) {
        state.withLock { state in
            guard isUrgent || MonotonicClock.seconds >= state.next else { return }
            state.next = MonotonicClock.seconds + Self.interval
            state.meter?.look()
        }
    }

    /// By node and by the kernel's name of the engine; nil where none has worked, or the kernel does not count.
    package var seconds: [String: [String: Double]]? {
        let found = state.withLock { $0.meter?.seconds }
        return found?.isEmpty == true ? nil : found
    }
}
