import CLibVA
import Glibc
import VTXSystem

extension SystemView {
    /// The machine as it is.
    package static let live = SystemView(
        read: { TextFile.read($0) }, list: { Directory.names(in: $0).sorted() }, status: fileStatus,
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

/// statvfs(3)'s ST_NODEV, which Swift does not see.
private let withoutDevices: UInt = 4

private func fileStatus(_ path: String) -> FileStatus? {
    guard let status = VTXSystem.FileStatus(path) else { return nil }
    var mount = statvfs()
    let isWithoutDevices = statvfs(path, &mount) == 0 && mount.f_flag & withoutDevices != 0
    return FileStatus(
        owner: status.owner, group: status.group, mode: status.permissions, isWithoutDevices: isWithoutDevices)
}

private func nameFromDRMVersion(_ path: String) -> String? {
    guard let descriptor = try? FileDescriptor(opening: path, O_RDWR),
        let version = drmGetVersion(descriptor.number)
    else { return nil }
    defer { drmFreeVersion(version) }
    return version.pointee.name.map { String(cString: $0) }
}
