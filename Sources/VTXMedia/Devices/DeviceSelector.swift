/// A user's choice of GPU. One GPU matches several selectors; `auto` matches all.
package enum DeviceSelector: Sendable, Hashable {
    case auto
    /// A render node, or the primary node of the same GPU.
    case path(String)
    case address(PCIAddress)
    case vendor(PCIVendor)

    /// The allowed forms, for messages.
    package static let forms =
        "auto, a render node such as /dev/dri/renderD128, pci:0000:03:00.0 (or pci:03:00.0), "
        + "vendor:intel, vendor:amd or vendor:0x1002"

    /// Parses one of the `forms`; nil for anything else.
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

    /// Whether a device with these names matches.
    package func selects(_ names: Set<DeviceSelector>) -> Bool { self == .auto || names.contains(self) }
}

extension DeviceSelector: CustomStringConvertible {
    /// The text of the selector.
    package var description: String {
        switch self {
        case .auto: "auto"
        case .path(let path): path
        case .address(let address): "pci:\(address)"
        case .vendor(let vendor): "vendor:\(vendor.name)"
        }
    }
}

/// Whether the use of a GPU is allowed, required or off.
public enum HardwarePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// Use hardware if it supports the job, otherwise software.
    case auto
    /// Use hardware, or fail.
    case require
    /// Use software only; no GPU is probed.
    case off
}

/// A device that is present and should work, but cannot be used.
package struct UnusableDevice: Sendable, Hashable, Codable {
    package var selectors: Set<DeviceSelector>
    /// A one-sentence reason that names the device.
    package var reason: String
    /// What the user can do; nil if nothing helps.
    package var hint: Message?
    /// Whether its driver crashed or hung. A job then continues without the device even if the user selected it by
    /// name.
    package var isFaulty: Bool

    package init(selectors: Set<DeviceSelector>, reason: String, hint: Message?, isFaulty: Bool = false) {
        self.selectors = selectors
        self.reason = reason
        self.hint = hint
        self.isFaulty = isFaulty
    }
}

/// The PCI address: domain, bus, device, function. Unlike the number of a node, it is stable across reboots.
package struct PCIAddress: Sendable, Hashable, Comparable {
    package var domain: UInt16
    package var bus: UInt8
    package var device: UInt8
    package var function: UInt8

    package init(domain: UInt16, bus: UInt8, device: UInt8, function: UInt8) {
        self.domain = domain
        self.bus = bus
        self.device = device
        self.function = function
    }

    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: UInt64 {
        UInt64(domain) << 24 | UInt64(bus) << 16 | UInt64(device) << 8 | UInt64(function)
    }
}

extension PCIAddress: CustomStringConvertible {
    /// `0000:03:00.0`, as in lspci and sysfs.
    package var description: String {
        "\(hexadecimal(domain, digits: 4)):\(hexadecimal(bus, digits: 2)):\(hexadecimal(device, digits: 2)).\(function)"
    }

    /// Parses `0000:03:00.0`, or `03:00.0` in domain 0; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let tail = parts.last?.split(separator: ".", omittingEmptySubsequences: false), tail.count == 2,
            (2...3).contains(parts.count),
            let domain = parts.count == 3 ? UInt16(parts[0], radix: 16) : 0,
            let bus = UInt8(parts[parts.count - 2], radix: 16),
            let device = UInt8(tail[0], radix: 16), device < 32,
            let function = UInt8(tail[1], radix: 16), function < 8
        else { return nil }
        self.init(domain: domain, bus: bus, device: device, function: function)
    }
}

/// Zero-padded: `00a5`.
package func hexadecimal(_ number: some UnsignedInteger, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// The vendor of a PCI device.
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

    /// The name for users: `intel`, or `0x1fe0` for an unknown vendor.
    package var name: String { Self.names[rawValue] ?? number }

    /// Parses a name or a number such as `0x8086`; nil for anything else.
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

    /// The name for use in sentences.
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
