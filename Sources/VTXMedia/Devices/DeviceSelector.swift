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
