import Glibc

/// A failed system call.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The C function, with an argument if useful: `open '/dev/dri/renderD128'`.
    package var call: String
    /// `errno`.
    package var code: Int32

    package init(_ call: String, _ code: Int32) {
        self.call = call
        self.code = code
    }

    /// The C library's message (C: `strerror`).
    package var reason: String { String(cString: strerror(code)) }
    package var description: String { "\(call): \(reason)" }
}
