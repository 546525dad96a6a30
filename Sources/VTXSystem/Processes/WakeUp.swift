import CSystem
import Glibc

/// Wakes a thread that waits in `Poll` (C: `eventfd`).
package struct WakeUp: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    package init() throws(SystemError) {
        let number = system_event_descriptor()
        guard number >= 0 else { throw SystemError("eventfd", errno) }
        descriptor = FileDescriptor(owning: number)
    }

    /// For `Poll`.
    package var number: Int32 { descriptor.number }

    package func wake() { try? descriptor.writeAll([1, 0, 0, 0, 0, 0, 0, 0]) }

    /// Forgets that it was woken.
    package func reset() { _ = try? descriptor.readAvailable(upTo: 8) }
}
