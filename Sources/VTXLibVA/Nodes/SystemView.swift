import CLibVA
import Glibc
import VTXSystem

/// This module's read-only view of the machine, which tests can replace.
package struct SystemView: Sendable {
    /// Returns a text file's contents; nil if it is missing or unreadable.
    package var read: @Sendable (_ path: String) -> String?
    /// Returns the names in a directory; empty if it is missing.
    package var list: @Sendable (_ directory: String) -> [String]
    /// nil if the file is missing.
    package var permissions: @Sendable (_ path: String) -> FilePermissions?
    package var linkTarget: @Sendable (_ path: String) -> String?
    /// libdrm's list of devices.
    package var drmDevices: @Sendable () -> [DRMDevice]
    /// DRM's name of a node's kernel driver; nil if it cannot be opened.
    package var drmVersionName: @Sendable (_ path: String) -> String?
    package var environment: @Sendable (_ name: String) -> String?
    package var process: Process
    package var userName: @Sendable (_ id: UInt32) -> String?
    package var groupName: @Sendable (_ id: UInt32) -> String?

    package init(
        read: @escaping @Sendable (String) -> String?, list: @escaping @Sendable (String) -> [String],
        permissions: @escaping @Sendable (String) -> FilePermissions?,
        linkTarget: @escaping @Sendable (String) -> String?,
        drmDevices: @escaping @Sendable () -> [DRMDevice], drmVersionName: @escaping @Sendable (String) -> String?,
        environment: @escaping @Sendable (String) -> String?, process: Process,
        userName: @escaping @Sendable (UInt32) -> String?, groupName: @escaping @Sendable (UInt32) -> String?
    ) {
        self.read = read
        self.list = list
        self.permissions = permissions
        self.linkTarget = linkTarget
        self.drmDevices = drmDevices
        self.drmVersionName = drmVersionName
        self.environment = environment
        self.process = process
        self.userName = userName
        self.groupName = groupName
    }

    /// The current process.
    package struct Process: Sendable, Hashable {
        package var user: UInt32
        /// The effective group and the supplementary ones, sorted.
        package var groups: [UInt32]

        package init(user: UInt32, groups: [UInt32]) {
            self.user = user
            self.groups = groups
        }
    }
}

extension SystemView {
    /// The real machine.
    package static let live = SystemView(
        read: { TextFile.read($0) }, list: { Directory.names(in: $0).sorted() }, permissions: filePermissions,
        linkTarget: TextFile.linkTarget, drmDevices: DRMDevice.all,
        drmVersionName: nameFromDRMVersion, environment: { name in getenv(name).map { String(cString: $0) } },
        process: .current, userName: { id in getpwuid(id).map { String(cString: $0.pointee.pw_name) } },
        groupName: { id in getgrgid(id).map { String(cString: $0.pointee.gr_name) } })
}

extension SystemView.Process {
    static var current: Self {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        groups.removeLast(groups.count - Int(max(0, getgroups(Int32(groups.count), &groups))))
        return Self(user: geteuid(), groups: Set(groups + [getegid()]).sorted())
    }
}

/// statvfs(3)'s ST_NODEV, which Swift does not import.
private let withoutDevices: UInt = 4

private func filePermissions(_ path: String) -> FilePermissions? {
    guard let status = FileStatus(path) else { return nil }
    var mount = statvfs()
    let isWithoutDevices = statvfs(path, &mount) == 0 && mount.f_flag & withoutDevices != 0
    return FilePermissions(
        owner: status.owner, group: status.group, mode: status.permissions, isWithoutDevices: isWithoutDevices)
}

private func nameFromDRMVersion(_ path: String) -> String? {
    guard let descriptor = try? FileDescriptor(opening: path, O_RDWR),
        let version = drmGetVersion(descriptor.number)
    else { return nil }
    defer { drmFreeVersion(version) }
    return version.pointee.name.map { String(cString: $0) }
}
