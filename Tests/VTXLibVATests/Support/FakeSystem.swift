import VTXLibVA
import VTXMedia

/// A machine described by dictionaries.
struct FakeSystem {
    var files: [String: String] = [:]
    var permissions: [String: FilePermissions] = [:]
    var links: [String: String] = [:]
    var devices: [DRMDevice] = []
    var drmNames: [String: String] = [:]
    var environment: [String: String] = [:]
    var process = SystemView.Process(user: 1000, groups: [1000])
    var users: [UInt32: String] = [0: "root", 1000: "ann"]
    var groups: [UInt32: String] = [0: "root", 105: "render", 1000: "ann"]

    var view: SystemView {
        let copy = self
        let paths = Array(copy.files.keys) + Array(copy.permissions.keys)
        return SystemView(
            read: { copy.files[$0] },
            list: { directory in
                let below = paths.filter { $0.hasPrefix(directory + "/") }
                return Set(below.map { String($0.dropFirst(directory.count + 1).prefix { $0 != "/" }) }).sorted()
            },
            permissions: { copy.permissions[$0] }, linkTarget: { copy.links[$0] }, drmDevices: { copy.devices },
            drmVersionName: { copy.drmNames[$0] }, environment: { copy.environment[$0] }, process: copy.process,
            userName: { copy.users[$0] }, groupName: { copy.groups[$0] })
    }
}

extension FilePermissions {
    /// Like udev's render nodes.
    static let renderNode = FilePermissions(owner: 0, group: 105, mode: 0o660)
}

extension PCIDeviceID {
    static let tigerLake = PCIDeviceID(vendor: .intel, device: 0x9a49)
    static let navi21 = PCIDeviceID(vendor: .amd, device: 0x73bf)
}
