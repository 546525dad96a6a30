/// Which GPU a user asks for. A GPU has several such names; `auto` is everybody's.
package enum DeviceSelector: Sendable, Hashable {
    case auto
    /// A render node, or the node of the same GPU that owns the screen.
    case path(String)
    case address(PCIAddress)
    case vendor(PCIVendor)

    /// What can be written, for messages.
    package static let forms =
        "auto, a render node such as /dev/dri/renderD128, pci:0000:03:00.0 (or pci:03:00.0), "
        + "vendor:intel, vendor:amd or vendor:0x1002"

    /// Reads what `forms` says; nil for anything else.
    package init?(_ text: String) {
        if text == "auto" {
            self = .auto
        } else if text.hasPrefix("/"), text != "/" {
            self = .path(text)
        } else if text.hasPrefix("pci:"), let address = PCIAddress(text.dropFirst(4)) {
            self = .address(address)
        } else if text.hasPrefix("vendor:"), let vendor = PCIVendor(named: text.dropFirst(7)) {
            self = .vendor(vendor)
        } else {
            return nil
        }
    }

    /// Whether a device that goes by these names is meant.
    package func selects(_ names: Set<DeviceSelector>) -> Bool { self == .auto || names.contains(self) }
}

extension DeviceSelector: CustomStringConvertible {
    /// The text that selects this.
    package var description: String {
        switch self {
        case .auto: "auto"
        case .path(let path): path
        case .address(let address): "pci:\(address)"
        case .vendor(let vendor): "vendor:\(vendor.name)"
        }
    }
}

/// Whether a GPU may, must or must not be used.
public enum HardwarePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// Hardware where it can do the job, software elsewhere.
    case auto
    /// Hardware, or an error.
    case require
    /// Software; no device is even looked at.
    case off
}

/// Which of a GPU's two encoders: the programmable one (`VAEntrypointEncSlice`) or the fixed, low-power one
/// (`VAEntrypointEncSliceLP`).
package enum LowPowerPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// The programmable one where there is one.
    case auto
    case on
    case off
}

/// What is asked of a GPU's encoder beside what the stream has to be; nil leaves it to vtx.
package struct HardwareEncoderOptions: Sendable, Hashable, Codable {
    package var lowPower = LowPowerPolicy.auto
    /// Frames that the GPU works on at one time (libavcodec's `async_depth`).
    package var asyncDepth: Int?
    /// Levels of B frames that refer to each other (libavcodec's `b_depth`). It also allows B frames where a driver is
    /// known to get them wrong.
    package var bFrameDepth: Int?

    package init() {}
}

/// A device that is here, that one would expect to work, and that cannot be used.
package struct UnusableDevice: Sendable, Hashable, Codable {
    package var selectors: Set<DeviceSelector>
    /// One sentence that names it.
    package var reason: String
    /// What to do; nil where nothing helps.
    package var hint: Message?
    /// Its driver crashed or hung: a job goes on without it, also where it was asked for by its name.
    package var isFaulty: Bool

    package init(selectors: Set<DeviceSelector>, reason: String, hint: Message?, isFaulty: Bool = false) {
        self.selectors = selectors
        self.reason = reason
        self.hint = hint
        self.isFaulty = isFaulty
    }
}
