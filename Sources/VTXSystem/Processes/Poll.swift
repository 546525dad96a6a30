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
        var polled = events.map { event in
            switch event {
            case .readable(let number): pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            case .writable(let number): pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            }
        }
        poll(&polled, nfds_t(polled.count), seconds.map { Int32(max(1, $0 * 1000)) } ?? -1)
    }
}
