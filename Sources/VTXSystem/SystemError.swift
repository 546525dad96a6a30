import Glibc

/// A call to the system that failed.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The C function, with what it was called for where that helps: `open '/dev/dri/renderD128'`.
    package var call: String
    /// `errno`.
    package var code: Int32

    package init(_ call: String, _ code: Int32) {
        self.call = call
        self.code = code
    }

    /// The C library's words (C: `strerror`).
    package var reason: String { String(cString: strerror(code)) }
    package var description: String { "\(call): \(reason)" }
}
