import Glibc

/// Waits for several descriptors at once (C: `poll`).
package enum Poll {
    package enum Event: Sendable, Hashable {
        /// It can be read, or is at its end.
        case readable(Int32)
        case writable(Int32)
    }

    /// - Parameter seconds: nil for any time.
    package static func wait(for events: [Event], seconds: Double?) {
        var polled = events.map(\.pollfd)
        poll(&polled, nfds_t(polled.count), seconds.map { Int32(max(1, $0 * 1000)) } ?? -1)
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
