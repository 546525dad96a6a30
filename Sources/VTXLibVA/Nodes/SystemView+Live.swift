import CLibVA
import Glibc

extension SystemView {
    /// The machine as it is.
    package static let live = SystemView(
        read: readFile, list: listDirectory, status: fileStatus, linkTarget: readLink, drmDevices: DRMDevice.all,
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

/// The files of /sys and /proc that are read here are short; what is longer is cut.
private func readFile(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65536)
    var length = 0
    while length < bytes.count {
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + length, $0.count - length) }
        if count < 0 { return nil }
        if count == 0 { break }
        length += count
    }
    return String(decoding: bytes.prefix(length), as: UTF8.self)
}

private func listDirectory(_ path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
}

/// statvfs(3)'s ST_NODEV, which Swift does not see.
private let withoutDevices: UInt = 4

private func fileStatus(_ path: String) -> FileStatus? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    var mount = statvfs()
    let isWithoutDevices = statvfs(path, &mount) == 0 && mount.f_flag & withoutDevices != 0
    return FileStatus(
        owner: status.st_uid, group: status.st_gid, mode: status.st_mode & 0o7777, isWithoutDevices: isWithoutDevices)
}

private func readLink(_ path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(path, &bytes, bytes.count)
    guard length > 0 else { return nil }
    return String(decoding: bytes.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

private func nameFromDRMVersion(_ path: String) -> String? {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let version = drmGetVersion(descriptor) else { return nil }
    defer { drmFreeVersion(version) }
    return version.pointee.name.map { String(cString: $0) }
}
