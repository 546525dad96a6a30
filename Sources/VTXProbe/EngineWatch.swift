import VTXLibVA
import VTXSystem

/// Measures how long this process keeps GPU engines busy. Thread-safe; may be called as often as needed.
package final class EngineWatch: Sendable {
    private struct State {
        /// nil before `begin`: without a GPU, nothing is measured.
        var meter: EngineMeter?
        var next = 0.0
    }

    private let state = Locked(State())
    /// The interval of measurements, in seconds.
    private static let interval = 2.0

    package init() {}

    /// Starts measuring, when a GPU is about to be used.
    package func begin() {
        state.withLock { $0.meter = $0.meter ?? EngineMeter() }
        look(isUrgent: true)
    }

    /// - Parameter isUrgent: Whether to measure before the interval is over.
    package func look(isUrgent: Bool = false) {
        state.withLock { state in
            guard isUrgent || MonotonicClock.seconds >= state.next else { return }
            state.next = MonotonicClock.seconds + Self.interval
            state.meter?.look()
        }
    }

    /// Seconds by node and by the kernel's engine name; nil if no engine has worked, or the kernel does not count.
    package var seconds: [String: [String: Double]]? {
        let found = state.withLock { $0.meter?.seconds }
        return found?.isEmpty == true ? nil : found
    }
}
