import CSystem
import Glibc

extension FileDescriptor {
    /// Makes reads and writes non-blocking, for all users of the same open file.
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

    /// Resets it after it has been woken.
    package func reset() { _ = try? descriptor.readAvailable(upTo: 8) }
}

/// Waits for several descriptors at once (C: `poll`).
package enum Poll {
    package enum Event: Sendable, Hashable {
        /// Data, or the end, can be read.
        case readable(Int32)
        case writable(Int32)
    }

    /// - Parameter seconds: nil for no limit.
    /// - Returns: false after the time is over, or a signal. Closing the other end of a pipe counts as an event.
    @discardableResult
    package static func wait(for events: [Event], seconds: Double?) -> Bool {
        var polled = events.map(\.pollfd)
        return poll(&polled, nfds_t(polled.count), seconds.map { Int32(max(1, $0 * 1000)) } ?? -1) > 0
    }

    /// Whether the other end of a pipe is closed, whatever has not been read yet.
    package static func isHungUp(_ number: Int32) -> Bool {
        var polled = Glibc.pollfd(fd: number, events: 0, revents: 0)
        return poll(&polled, 1, 0) == 1 && polled.revents & Int16(POLLHUP) != 0
    }

    /// Whether the event occurs within the time.
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
