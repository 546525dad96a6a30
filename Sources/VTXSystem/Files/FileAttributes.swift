import CSystem
import Glibc

/// The attributes of a file, with which another one can replace it: owner, permissions, timestamps, and extended
/// attributes, including the access control list.
package struct FileAttributes: Sendable, Hashable {
    private let status: FileStatus
    private let extended: [String: [UInt8]]

    /// - Throws: if the file is missing, or its attributes are unreadable.
    package init(of path: String) throws(SystemError) {
        let file = try FileDescriptor(opening: path)
        guard let status = file.status else { throw SystemError("fstat '\(path)'", errno) }
        self.status = status
        extended = try ExtendedAttributes.all(of: file)
    }

    /// Applies the attributes to another file, whose content is complete.
    ///
    /// - Throws: if a user attribute cannot be applied. System attributes (`security.*`) are applied if possible.
    package func apply(to file: borrowing FileDescriptor) throws(SystemError) {
        try applyOwnership(to: file)
        try check("fchmod", fchmod(file.number, status.permissions))
        var times = [status.accessTime, status.modificationTime].map {
            timespec(tv_sec: Int($0 / 1_000_000_000), tv_nsec: Int($0 % 1_000_000_000))
        }
        try check("futimens", futimens(file.number, &times))
    }

    /// Applies the attributes that may fail because of missing privileges or a lack of space in the file system.
    package func applyOwnership(to file: borrowing FileDescriptor) throws(SystemError) {
        if let now = file.status, (now.owner, now.group) != (status.owner, status.group) {
            try check("fchown", fchown(file.number, status.owner, status.group))
        }
        // A directory may give new files an access control list.
        let there = try ExtendedAttributes.all(of: file)
        let others = there.keys.filter { extended[$0] == nil }
        for name in others where ExtendedAttributes.isUsers(name) { fremovexattr(file.number, name) }
        // A file that has them from an earlier run may be read-only by now.
        for (name, value) in extended.sorted(by: { $0.key < $1.key }) where there[name] != value {
            let result = fsetxattr(file.number, name, value, value.count, 0)
            if ExtendedAttributes.isUsers(name) { try check("fsetxattr \(name)", result) }
        }
    }

    private func check(_ call: String, _ result: Int32) throws(SystemError) {
        if result != 0 { throw SystemError(call, errno) }
    }
}

private enum ExtendedAttributes {
    /// Whether users set it, rather than the system.
    static func isUsers(_ name: String) -> Bool {
        name.hasPrefix("user.") || name == "system.posix_acl_access"
    }

    /// Empty if the file system does not support them.
    static func all(of file: borrowing FileDescriptor) throws(SystemError) -> [String: [UInt8]] {
        let number = file.number
        guard let list = try bytes("flistxattr", { flistxattr(number, $0, $1) }) else { return [:] }
        var all: [String: [UInt8]] = [:]
        for name in list.split(separator: 0).map({ String(decoding: $0, as: UTF8.self) }) {
            all[name] = try bytes("fgetxattr \(name)", { fgetxattr(number, name, $0, $1) })
        }
        return all
    }

    /// Queries the size, then the data.
    ///
    /// - Returns: nil if the attribute does not exist, or may not be read.
    private static func bytes(
        _ call: String, _ get: (UnsafeMutablePointer<CChar>?, Int) -> Int
    ) throws(SystemError) -> [UInt8]? {
        let count = get(nil, 0)
        var bytes = [CChar](repeating: 0, count: max(0, count))
        let read = count < 0 ? count : get(&bytes, count)
        if read >= 0 { return bytes.prefix(read).map(UInt8.init(bitPattern:)) }
        guard [ENOTSUP, ENODATA, EPERM, EACCES].contains(errno) else { throw SystemError(call, errno) }
        return nil
    }
}
