import CLibVA
import VTXMedia
import VTXSystem

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

/// What libva, and a driver through it, had to say: kept in a list, so that standard error stays clean.
///
/// libva calls back on the thread that called it. A driver that writes to standard error by itself is not caught.
final class DisplayMessages: Sendable {
    private let collected = Locked<[String]>([])

    /// A driver that complains about each frame must not fill the memory.
    private static let limit = 200

    var all: [String] { collected.withLock { $0 } }

    private func add(_ message: UnsafePointer<CChar>?) {
        guard let message else { return }
        for line in String(cString: message).split(separator: "\n") {
            collected.withLock { if $0.count < Self.limit { $0.append(String(line)) } }
        }
    }

    /// The display must not outlive `self`; it keeps a pointer to it that it does not own.
    func collect(from display: VADisplay) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let callback: VAMessageCallback = { context, message in
            guard let context else { return }
            Unmanaged<DisplayMessages>.fromOpaque(context).takeUnretainedValue().add(message)
        }
        _ = vaSetErrorCallback(display, callback, context)
        _ = vaSetInfoCallback(display, callback, context)
    }
}
