package import VTXMedia

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
