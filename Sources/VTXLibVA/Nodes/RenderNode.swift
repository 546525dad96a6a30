import CLibVA
package import VTXMedia

/// A GPU's render node: the device file for computing without owning the display.
package struct RenderNode: Sendable, Hashable {
    /// `/dev/dri/renderD128`.
    package var path: String
    /// `/dev/dri/card0`; not every GPU has one, and containers may not contain it.
    package var cardPath: String?
    /// nil for a device that is not PCI: a virtual GPU, or one of a system on chip.
    package var address: PCIAddress?
    package var deviceID: PCIDeviceID?
    /// DRM's name of the kernel driver: `i915`, `xe`, `amdgpu`, `nvidia-drm`, `virtio_gpu` ...
    package var kernelDriver: String?
    /// Owner, group and mode; nil if the file is not accessible.
    package var file: FilePermissions?
    package var cardFile: FilePermissions?

    package init(
        path: String, cardPath: String? = nil, address: PCIAddress? = nil, deviceID: PCIDeviceID? = nil,
        kernelDriver: String? = nil, file: FilePermissions? = nil, cardFile: FilePermissions? = nil
    ) {
        self.path = path
        self.cardPath = cardPath
        self.address = address
        self.deviceID = deviceID
        self.kernelDriver = kernelDriver
        self.file = file
        self.cardFile = cardFile
    }

    package var vendor: PCIVendor? { deviceID?.vendor }
}

/// The permissions of a file (`stat`), and whether its file system allows devices (`statvfs`).
package struct FilePermissions: Sendable, Hashable {
    package var owner: UInt32
    package var group: UInt32
    /// The permission bits only: 0o660.
    package var mode: UInt32
    /// Whether its file system is mounted with `nodev`, so that device files do not work, as when a container gets the
    /// device as a plain file.
    package var isWithoutDevices: Bool

    package init(owner: UInt32, group: UInt32, mode: UInt32, isWithoutDevices: Bool = false) {
        self.owner = owner
        self.group = group
        self.mode = mode
        self.isWithoutDevices = isWithoutDevices
    }
}

extension RenderNode {
    /// Returns all render nodes: those that libdrm describes, and those found only in the directory.
    ///
    /// PCI devices come first, by address; then the others, by path. Unlike the nodes' numbers, the order does not
    /// depend on which driver the kernel loaded first.
    package static func all(in system: SystemView = .live) -> [RenderNode] {
        let devices = system.drmDevices()
        let described = Set(devices.compactMap(\.renderPath))
        let others = system.list("/dev/dri").filter { $0.hasPrefix("renderD") }.map { "/dev/dri/" + $0 }
            .filter { !described.contains($0) }
        let nodes =
            devices.compactMap { RenderNode($0, in: system) }
            + others.map { RenderNode(describing: $0, in: system) }
        return nodes.sorted(by: isBefore)
    }

    private static func isBefore(_ left: RenderNode, _ right: RenderNode) -> Bool {
        switch (left.address, right.address) {
        case (let left?, let right?) where left != right: left < right
        case (_?, nil): true
        case (nil, _?): false
        default: (left.path.count, left.path) < (right.path.count, right.path)
        }
    }

    private init?(_ device: DRMDevice, in system: SystemView) {
        guard let path = device.renderPath else { return nil }
        self.init(describing: path, in: system)
        cardPath = device.cardPath
        cardFile = device.cardPath.flatMap(system.permissions)
        address = device.address
        deviceID = device.deviceID
    }

    /// Creates a node from its path; the rest comes from `/sys` and the node itself.
    private init(describing path: String, in system: SystemView) {
        self.init(path: path, file: system.permissions(path))
        let node = path.split(separator: "/").last.map(String.init) ?? ""
        let link = system.linkTarget("/sys/class/drm/\(node)/device/driver")
        kernelDriver = link.map(Self.drmName) ?? system.drmVersionName(path)
    }

    /// Returns DRM's name for the target of a `driver` link in `/sys`, which differs for NVIDIA's driver.
    private static func drmName(_ link: String) -> String {
        let name = link.split(separator: "/").last.map(String.init) ?? link
        return name == "nvidia" ? "nvidia-drm" : name
    }
}

extension RenderNode {
    /// All selectors that match this node, except `auto`.
    package var selectors: Set<DeviceSelector> {
        Set([.path(path)] + [cardPath.map(DeviceSelector.path), byAddress, byVendor].compactMap(\.self))
    }

    private var byAddress: DeviceSelector? { address.map(DeviceSelector.address) }
    private var byVendor: DeviceSelector? { vendor.map(DeviceSelector.vendor) }

    /// The selectors that distinguish it from others, in one line.
    fileprivate var choice: String {
        [.path(path), byAddress, byVendor].compactMap(\.self).map(\.description).joined(separator: " = ")
    }
}

/// The requested GPU does not exist.
package struct NoSuchNode: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence with the request and the existing nodes.
    package var description: String
}

extension DeviceSelector {
    /// Returns the selected nodes, in the order in which to try them.
    package func select(from nodes: [RenderNode]) throws(NoSuchNode) -> [RenderNode] {
        let found = nodes.filter { selects($0.selectors) }
        guard found.isEmpty else { return found }
        let there = nodes.map(\.choice).joined(separator: "; ")
        throw NoSuchNode(
            description: "no GPU is \(self); " + (nodes.isEmpty ? "there is no render node" : "there is \(there)"))
    }
}

/// A device described by libdrm (`drmDevice`).
package struct DRMDevice: Sendable, Hashable {
    package var renderPath: String?
    package var cardPath: String?
    /// nil for a device that is not on a PCI bus.
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
    /// `drmGetDevices2` without the PCI revision, because reading that wakes suspended GPUs.
    static func all() -> [DRMDevice] {
        // Querying the number first would read all of `/sys` twice; libdrm supports at most this many nodes.
        var devices = [drmDevicePtr?](repeating: nil, count: 256)
        let filled = drmGetDevices2(0, &devices, Int32(devices.count))
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

/// The vendor and device ID of a PCI device: `8086:9a49`.
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
