import CSystem
import Glibc

extension FileDescriptor {
    /// Reads and writes return at once from now on; all who have the same open file see that.
    package func makeNonBlocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
}

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

/// Waits for several descriptors at once (C: `poll`).
package enum Poll {
    package enum Event: Sendable, Hashable {
        /// It can be read, or is at its end.
        case readable(Int32)
        case writable(Int32)
    }

    /// - Parameter seconds: nil for any time.
    /// - Returns: false where the time is over, or a signal has come. A pipe whose other end is closed counts as an event.
    @discardableResult
    package static func wait(for events: [Event], seconds: Double?) -> Bool {
        var polled = events.map(\.pollfd)
        return poll(&polled, nfds_t(polled.count), seconds.map { Int32(max(1, $0 * 1000)) } ?? -1) > 0
    }

    /// Whether it has happened, or happens within the time.
    package static func has(_ event: Event, within seconds: Double = 0) -> Bool {
        var polled = event.pollfd
        return poll(&polled, 1, Int32(seconds * 1000)) == 1 && polled.revents & polled.events != 0
    }
}

extension Poll.Event {
    fileprivate var pollfd: pollfd {
        switch self {
        case .readable(let number): Glibc.pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        case .writable(let number): Glibc.pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        }
    }
}
