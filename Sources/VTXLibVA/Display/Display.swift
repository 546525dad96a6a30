import CLibVA
import Glibc
import VTXSystem

/// A render node, opened and initialised: owns the descriptor and the `VADisplay`.
///
/// Thread safety: libva's functions may be called from several threads at once, and it asks the same of drivers
/// (va.h, "Multithreading Guide"). Each context and each surface belongs to one thread at a time; a `Display` is
/// shared by all. Its own properties do not change after `init`.
///
/// What stands on a display (contexts, surfaces, libavutil's device) keeps a strong reference to it, so `deinit`
/// terminates it after the last of them.
package final class Display: @unchecked Sendable {
    // Unchecked: the pointer is never changed, and libva does the locking.
    let pointer: VADisplay
    private let descriptor: FileDescriptor
    private let collected: DisplayMessages

    package let node: RenderNode
    package let apiVersion: APIVersion
    /// The driver's words about itself, for example `Intel iHD driver for Intel(R) Gen Graphics - 23.1.1 ()`.
    package let vendorString: String

    /// Opens a node. libva chooses the driver and respects `LIBVA_DRIVER_NAME`; when its choice fails and the
    /// variable is not set, the drivers of the GPU's maker are tried in turn.
    ///
    /// - Parameter driver: the only driver to try; nil for libva's choice.
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

    /// What libva had to say so far, in its own words: `libva info: ...`, `libva error: ...`.
    package var messages: [String] { collected.all }

    /// The `VADisplay`, for libavutil (`AVVAAPIDeviceContext.display`).
    ///
    /// Ownership stays here: who keeps the pointer keeps a strong reference to the display for as long, and never
    /// calls `vaTerminate`.
    package var native: UnsafeMutableRawPointer { pointer }
}

/// libva's version of the interface, which is not the library's own version: 1.17 for libva 2.17.
package struct APIVersion: Sendable, Hashable, CustomStringConvertible {
    package var major: Int
    package var minor: Int

    package init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    package var description: String { "\(major).\(minor)" }
}
