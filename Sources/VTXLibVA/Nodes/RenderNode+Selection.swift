package import VTXMedia

extension RenderNode {
    /// All the ways to ask for this node, but for `auto`.
    package var selectors: Set<DeviceSelector> {
        Set([.path(path)] + [cardPath.map(DeviceSelector.path), byAddress, byVendor].compactMap(\.self))
    }

    private var byAddress: DeviceSelector? { address.map(DeviceSelector.address) }
    private var byVendor: DeviceSelector? { vendor.map(DeviceSelector.vendor) }

    /// The ways to ask for it that tell it from others, in one line.
    fileprivate var choice: String {
        [.path(path), byAddress, byVendor].compactMap(\.self).map(\.description).joined(separator: " = ")
    }
}

/// There is no such GPU.
package struct NoSuchNode: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence: what was asked for, and what is there.
    package var description: String
}

extension DeviceSelector {
    /// The nodes that are meant, in the order in which they are to be tried.
    package func select(from nodes: [RenderNode]) throws(NoSuchNode) -> [RenderNode] {
        let found = nodes.filter { selects($0.selectors) }
        guard found.isEmpty else { return found }
        let there = nodes.map(\.choice).joined(separator: "; ")
        throw NoSuchNode(
            description: "no GPU is \(self); " + (nodes.isEmpty ? "there is no render node" : "there is \(there)"))
    }
}
