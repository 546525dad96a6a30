/// Who made a PCI device, by its vendor id.
package struct PCIVendor: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let intel = PCIVendor(rawValue: 0x8086)
    package static let amd = PCIVendor(rawValue: 0x1002)
    package static let nvidia = PCIVendor(rawValue: 0x10de)

    private static let names: [UInt16: String] = [
        0x8086: "intel", 0x1002: "amd", 0x10de: "nvidia", 0x1af4: "virtio", 0x15ad: "vmware", 0x1414: "microsoft",
        0x80ee: "virtualbox", 0x1234: "qemu", 0x1a03: "aspeed", 0x14c3: "mediatek", 0x0731: "jingjia",
        0x1ed5: "moorethreads", 0x1d17: "zhaoxin",
    ]

    /// As users write it: `intel`, or `0x1fe0` for one without a name here.
    package var name: String { Self.names[rawValue] ?? number }

    /// Reads a name, or a number such as `0x8086`; nil for anything else.
    package init?(named text: some StringProtocol) {
        let name = text.lowercased()
        if name.hasPrefix("0x") {
            guard let number = UInt16(name.dropFirst(2), radix: 16) else { return nil }
            self.init(rawValue: number)
        } else {
            guard let entry = Self.names.first(where: { $0.value == name }) else { return nil }
            self.init(rawValue: entry.key)
        }
    }

    /// The name for sentences.
    package var title: String {
        switch self {
        case .intel: "Intel"
        case .amd: "AMD"
        case .nvidia: "NVIDIA"
        default: Self.names[rawValue] ?? "vendor \(number)"
        }
    }

    private var number: String { "0x" + hexadecimal(rawValue, digits: 4) }
}
