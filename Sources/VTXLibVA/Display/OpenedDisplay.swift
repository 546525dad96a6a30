import CLibVA
import Glibc
package import VTXMedia
import VTXSystem

/// A `VADisplay` that a driver has taken; the receiver terminates it.
struct OpenedDisplay {
    let pointer: VADisplay
    let messages: DisplayMessages
    let version: APIVersion

    /// Tries drivers in turn.
    ///
    /// - Parameter names: nil is libva's own choice.
    static func first(
        of names: [String?], _ node: RenderNode, _ descriptor: borrowing FileDescriptor
    ) throws(DisplayError) -> OpenedDisplay {
        var attempts: [DriverAttempt] = []
        for name in names where !attempts.contains(where: { $0.tried(name) }) {
            switch try open(node.path, descriptor, driver: name) {
            case .success(let display): return display
            case .failure(let attempt): attempts.append(attempt.value)
            }
        }
        // The maker's own driver, tried last, says more than libva's guess at a name.
        let last = attempts.last?.error ?? VAError(status: VA_STATUS_ERROR_INVALID_DISPLAY, call: "vaInitialize")
        throw DisplayError(path: node.path, cause: .initialize(last), attempts: attempts)
    }

    private struct Failed: Error { var value: DriverAttempt }

    private static func open(
        _ path: String, _ descriptor: borrowing FileDescriptor, driver: String?
    ) throws(DisplayError) -> Result<OpenedDisplay, Failed> {
        guard let display = vaGetDisplayDRM(descriptor.number) else {
            throw DisplayError(path: path, cause: .notDRM)
        }
        let messages = DisplayMessages()
        messages.collect(from: display)
        do {
            return .success(try initialize(display, messages, driver: driver))
        } catch {
            vaTerminate(display)
            return .failure(Failed(value: DriverAttempt(driver: driver, error: error, messages: messages.all)))
        }
    }

    private static func initialize(
        _ display: VADisplay, _ messages: DisplayMessages, driver: String?
    ) throws(VAError) -> OpenedDisplay {
        if let driver {
            let status = driver.withCString { vaSetDriverName(display, UnsafeMutablePointer(mutating: $0)) }
            try check(status, "vaSetDriverName")
        }
        var major: Int32 = 0
        var minor: Int32 = 0
        try check(vaInitialize(display, &major, &minor), "vaInitialize")
        let version = APIVersion(major: Int(major), minor: Int(minor))
        return OpenedDisplay(pointer: display, messages: messages, version: version)
    }
}

extension DriverAttempt {
    /// Whether this attempt was with that driver, be it by libva's own choice: once is enough.
    fileprivate func tried(_ name: String?) -> Bool {
        guard let name else { return false }
        return messages.contains { $0.contains("/\(name)_drv_video.so init failed") }
    }
}

/// The C library's words for an errno.
func systemReason(_ number: Int32) -> String { String(cString: strerror(number)) }

/// The VA drivers for a maker's GPUs, the better one first, by the names that libva puts before `_drv_video.so`.
///
/// libva chooses by the kernel driver's name, and an older libva does not know a newer kernel driver (`xe`).
package func driverNames(for vendor: PCIVendor?) -> [String] {
    switch vendor {
    case .intel: ["iHD", "i965"]
    case .amd: ["radeonsi"]
    default: []
    }
}
