import CLibVA
package import VTXMedia

/// A device as libdrm describes it (`drmDevice`).
package struct DRMDevice: Sendable, Hashable {
    package var renderPath: String?
    package var cardPath: String?
    /// Nil for a device that is not on a PCI bus.
    package var address: PCIAddress?
    package var deviceID: PCIDeviceID?

    package init(
        renderPath: String?, cardPath: String? = nil, address: PCIAddress? = nil, deviceID: PCIDeviceID? = nil
    ) {
        self.renderPath = renderPath
        self.cardPath = cardPath
        self.address = address
        self.deviceID = deviceID
    }
}

extension DRMDevice {
    /// `drmGetDevices2`, without the PCI revision: reading that would wake GPUs that sleep.
    static func all() -> [DRMDevice] {
        let count = drmGetDevices2(0, nil, 0)
        guard count > 0 else { return [] }
        var devices = [drmDevicePtr?](repeating: nil, count: Int(count))
        let filled = drmGetDevices2(0, &devices, count)
        guard filled > 0 else { return [] }
        defer { drmFreeDevices(&devices, filled) }
        return devices.prefix(Int(filled)).compactMap { $0.map { DRMDevice($0.pointee) } }
    }

    private init(_ device: drmDevice) {
        self.init(renderPath: device.path(of: DRM_NODE_RENDER), cardPath: device.path(of: DRM_NODE_PRIMARY))
        guard device.bustype == DRM_BUS_PCI else { return }
        if let bus = device.businfo.pci?.pointee {
            address = PCIAddress(domain: bus.domain, bus: bus.bus, device: bus.dev, function: bus.func)
        }
        if let info = device.deviceinfo.pci?.pointee {
            deviceID = PCIDeviceID(vendor: PCIVendor(rawValue: info.vendor_id), device: info.device_id)
        }
    }
}

extension drmDevice {
    fileprivate func path(of node: Int32) -> String? {
        guard available_nodes & (1 << node) != 0, let path = nodes[Int(node)] else { return nil }
        return String(cString: path)
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
