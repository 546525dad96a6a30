/// Why a render node gave no display.
package struct DisplayError: Error, Sendable, Hashable {
    package enum Cause: Sendable, Hashable {
        /// `open` failed; an errno.
        case open(errno: Int32)
        /// `vaGetDisplayDRM` gave nothing: the file is not a DRM device.
        case notDRM
        /// No driver could be loaded and initialised.
        case initialize(VAError)
    }

    package var path: String
    package var cause: Cause
    /// The drivers that were tried, in order.
    package var attempts: [DriverAttempt]

    package init(path: String, cause: Cause, attempts: [DriverAttempt] = []) {
        self.path = path
        self.cause = cause
        self.attempts = attempts
    }
}

/// One `vaInitialize` that failed.
package struct DriverAttempt: Sendable, Hashable {
    /// The driver that was asked for by name, or nil where libva chose.
    package var driver: String?
    package var error: VAError
    /// libva's own messages meanwhile.
    package var messages: [String]

    package init(driver: String?, error: VAError, messages: [String]) {
        self.driver = driver
        self.error = error
        self.messages = messages
    }
}

extension DisplayError: CustomStringConvertible {
    package var description: String {
        switch cause {
        case .open(let errno): "\(path): \(systemReason(errno)) (open)"
        case .notDRM: "\(path): not a DRM device (vaGetDisplayDRM)"
        case .initialize(let error): "\(path): \(error)"
        }
    }
}
