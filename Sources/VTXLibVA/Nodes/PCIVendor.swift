/// Who made a PCI device, by its vendor id.
package struct PCIVendor: NumberedWord {
    package var rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let intel = PCIVendor(rawValue: 0x8086)
    package static let amd = PCIVendor(rawValue: 0x1002)
    package static let nvidia = PCIVendor(rawValue: 0x10de)
    /// The virtual GPUs of QEMU.
    package static let redHat = PCIVendor(rawValue: 0x1af4)

    /// Names as users write them after `vendor:`.
    package static let table: [UInt16: String] = [
        0x8086: "intel", 0x1002: "amd", 0x10de: "nvidia", 0x1af4: "virtio", 0x15ad: "vmware", 0x1414: "microsoft",
        0x80ee: "virtualbox", 0x1234: "qemu", 0x1a03: "aspeed", 0x14c3: "mediatek", 0x0731: "jingjia",
        0x1ed5: "moorethreads", 0x1d17: "zhaoxin",
    ]

    /// The name for sentences.
    package var title: String {
        switch self {
        case .intel: "Intel"
        case .amd: "AMD"
        case .nvidia: "NVIDIA"
        default: Self.table[rawValue] ?? "vendor 0x" + hexadecimal(rawValue, digits: 4)
        }
    }
}

/// A PCI device's identity: `8086:9a49`.
package struct PCIDeviceID: Sendable, Hashable, CustomStringConvertible {
    package var vendor: PCIVendor
    package var device: UInt16

    package init(vendor: PCIVendor, device: UInt16) {
        self.vendor = vendor
        self.device = device
    }

    package var description: String {
        hexadecimal(vendor.rawValue, digits: 4) + ":" + hexadecimal(device, digits: 4)
    }
}
