/// Which GPU a user asks for.
package enum DeviceSelector: Sendable, Hashable {
    case auto
    case path(String)
    case address(PCIAddress)
    case vendor(PCIVendor)

    /// A text that selects nothing: it cannot be read, or there is no such GPU.
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// One sentence: what was asked for, what would be allowed, what is there.
        package var description: String
    }

    /// Reads `auto`, `/dev/dri/renderD129`, `pci:0000:03:00.0` or `vendor:intel`.
    package init(_ text: String) throws(Failure) {
        if text == "auto" {
            self = .auto
        } else if text.hasPrefix("/") {
            self = .path(text)
        } else if text.hasPrefix("pci:"), let address = PCIAddress(text.dropFirst(4)) {
            self = .address(address)
        } else if text.hasPrefix("vendor:"), let vendor = PCIVendor(named: text.dropFirst(7)) {
            self = .vendor(vendor)
        } else {
            throw Failure(
                description: "'\(text)' names no device; allowed are auto, a render node such as "
                    + "/dev/dri/renderD128, pci:0000:03:00.0 and vendor:intel, vendor:amd or vendor:0x1002")
        }
    }

    /// The nodes that are meant, in the order in which they are to be tried.
    package func matches(in nodes: [RenderNode]) -> [RenderNode] {
        switch self {
        case .auto: nodes
        case .path(let path): nodes.filter { $0.path == path || $0.cardPath == path }
        case .address(let address): nodes.filter { $0.address == address }
        case .vendor(let vendor): nodes.filter { $0.vendor == vendor }
        }
    }

    /// Like `matches(in:)`, but nothing found is an error that says what is there.
    package func select(from nodes: [RenderNode]) throws(Failure) -> [RenderNode] {
        let found = matches(in: nodes)
        if found.isEmpty {
            let there = nodes.map(\.choice).joined(separator: "; ")
            throw Failure(
                description: "no GPU is \(self); " + (nodes.isEmpty ? "there is no render node" : "there is \(there)"))
        }
        return found
    }
}

extension DeviceSelector: CustomStringConvertible {
    /// The text that selects this.
    package var description: String {
        switch self {
        case .auto: "auto"
        case .path(let path): path
        case .address(let address): "pci:\(address)"
        case .vendor(let vendor): "vendor:\(vendor.selectorName)"
        }
    }
}

extension RenderNode {
    /// All the ways to ask for this node.
    fileprivate var choice: String {
        [path, address.map { "pci:\($0)" }, vendor.map { "vendor:\($0.selectorName)" }].compactMap(\.self)
            .joined(separator: " = ")
    }
}

extension PCIVendor {
    /// Reads `intel`, or a number such as `0x8086`; nil for anything else.
    fileprivate init?(named text: some StringProtocol) {
        let name = text.lowercased()
        if name.hasPrefix("0x") {
            guard let number = UInt16(name.dropFirst(2), radix: 16) else { return nil }
            self.init(rawValue: number)
        } else {
            guard let entry = Self.table.first(where: { $0.value == name }) else { return nil }
            self.init(rawValue: entry.key)
        }
    }

    fileprivate var selectorName: String { Self.table[rawValue] ?? "0x" + hexadecimal(rawValue, digits: 4) }
}
