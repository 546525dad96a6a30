import CLibVA
import Glibc
package import VTXMedia
import VTXSystem

/// An open and initialized render node: owns the descriptor and the `VADisplay`.
///
/// Thread safety: libva's functions may be called from several threads at once, and drivers must support this (va.h,
/// "Multithreading Guide"). Each context and each surface belongs to one thread at a time; a `Display` is shared by
/// all. Unchecked: its properties do not change after `init`.
///
/// Objects on a display (contexts, surfaces, libavutil's device) retain it, so that `deinit` terminates it after the
/// last of them.
package final class Display: @unchecked Sendable {
    // Unchecked: the pointer is never changed, and libva is thread-safe.
    let pointer: VADisplay
    private let descriptor: FileDescriptor
    private let collected: DisplayMessages

    package let node: RenderNode
    package let apiVersion: APIVersion
    /// The driver's vendor string, for example `Intel iHD driver for Intel(R) Gen Graphics - 23.1.1 ()`.
    package let vendorString: String

    /// Opens a node. libva chooses the driver and respects `LIBVA_DRIVER_NAME`. If its choice fails and the variable is
    /// not set, the drivers of the GPU's vendor are tried in turn.
    ///
    /// - Parameter driver: The only driver to try; nil for libva's choice.
    /// - Throws: `DisplayError` with every driver that was tried.
    package init(
        _ node: RenderNode, with driver: String? = nil, in system: SystemView = .live
    ) throws(DisplayError) {
        let descriptor: FileDescriptor
        do throws(SystemError) { descriptor = try FileDescriptor(opening: node.path, O_RDWR) } catch {
            throw DisplayError(path: node.path, cause: .open(errno: error.code))
        }
        let isForced = system.environment("LIBVA_DRIVER_NAME") != nil
        let others = isForced ? [] : driverNames(for: node.vendor)
        let opened = try OpenedDisplay.first(of: driver.map { [$0] } ?? [nil] + others, node, descriptor)
        self.descriptor = descriptor
        self.node = node
        pointer = opened.pointer
        collected = opened.messages
        apiVersion = opened.version
        vendorString = vaQueryVendorString(opened.pointer).map { String(cString: $0) } ?? ""
    }

    deinit { vaTerminate(pointer) }

    /// libva's messages so far: `libva info: ...`, `libva error: ...`.
    package var messages: [String] { collected.all }

    /// The `VADisplay` for libavutil (`AVVAAPIDeviceContext.display`).
    ///
    /// Callers must retain the display as long as they keep the pointer, and never call `vaTerminate`.
    package var native: UnsafeMutableRawPointer { pointer }
}

/// The version of VA-API, which differs from the library's version: 1.17 for libva 2.17.
package struct APIVersion: Sendable, Hashable, CustomStringConvertible {
    package var major: Int
    package var minor: Int

    package init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    package var description: String { "\(major).\(minor)" }
}

/// An initialized `VADisplay`, which the receiver terminates.
struct OpenedDisplay {
    let pointer: VADisplay
    let messages: DisplayMessages
    let version: APIVersion

    /// Tries drivers in turn.
    ///
    /// - Parameter names: nil stands for libva's choice.
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
        // The vendor's own driver, tried last, fails with a better reason than libva's guess.
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
    /// Whether this attempt used that driver, even if libva chose it, so that it is tried only once.
    fileprivate func tried(_ name: String?) -> Bool {
        guard let name else { return false }
        return messages.contains { $0.contains("/\(name)_drv_video.so init failed") }
    }
}

/// Returns the C library's message for an errno.
func systemReason(_ number: Int32) -> String { String(cString: strerror(number)) }

/// Returns the VA drivers for a vendor's GPUs, in order of preference, by the names that libva puts before
/// `_drv_video.so`.
///
/// libva chooses by the kernel driver's name, and older versions do not know newer kernel drivers (`xe`).
package func driverNames(for vendor: PCIVendor?) -> [String] {
    switch vendor {
    case .intel: ["iHD", "i965"]
    case .amd: ["radeonsi"]
    default: []
    }
}

/// Why a render node could not be opened.
package struct DisplayError: Error, Sendable, Hashable {
    package enum Cause: Sendable, Hashable {
        /// `open` failed; an errno.
        case open(errno: Int32)
        /// `vaGetDisplayDRM` failed: the file is not a DRM device.
        case notDRM
        /// No driver could be loaded and initialized.
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

/// A failed `vaInitialize`.
package struct DriverAttempt: Sendable, Hashable {
    /// The requested driver; nil if libva chose.
    package var driver: String?
    package var error: VAError
    /// libva's messages during the attempt.
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

/// Collects messages of libva and, through it, of drivers, to keep standard error clean.
///
/// libva calls back on the calling thread. Drivers that write to standard error directly are not covered.
final class DisplayMessages: Sendable {
    private let collected = Locked<[String]>([])

    /// Limits memory if a driver complains about every frame.
    private static let limit = 200

    var all: [String] { collected.withLock { $0 } }

    private func add(_ message: UnsafePointer<CChar>?) {
        guard let message else { return }
        for line in String(cString: message).split(separator: "\n") {
            collected.withLock { if $0.count < Self.limit { $0.append(String(line)) } }
        }
    }

    /// The display must not outlive `self`, to which it keeps an unowned pointer.
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
