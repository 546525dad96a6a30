import Glibc

/// The result of stat(2).
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case regular
        case directory
        case symbolicLink
        case fifo
        case socket
        case blockDevice
        case characterDevice
    }

    package var kind: Kind
    package var identity: FileIdentity
    package var byteCount: Int64
    /// The modification time of the content, in nanoseconds since 1970.
    package var modificationTime: Int64
    /// The time of the last access, in nanoseconds since 1970.
    package var accessTime: Int64
    package var owner: UInt32
    package var group: UInt32
    package var permissions: UInt32
    /// The number of hard links.
    package var linkCount: Int

    /// - Parameter followsLinks: false for the status of a symbolic link itself.
    /// - Returns: nil if the file does not exist; `errno` has the reason.
    package init?(_ path: String, followsLinks: Bool = true) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            case S_IFBLK: .blockDevice
            case S_IFCHR: .characterDevice
            default: .regular
            }
        identity =
            kind == .characterDevice
            ? FileIdentity(node: UInt64(status.st_rdev))
            : FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        byteCount = Int64(status.st_size)
        modificationTime = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        accessTime = Int64(status.st_atim.tv_sec) * 1_000_000_000 + Int64(status.st_atim.tv_nsec)
        (owner, group, permissions) = (status.st_uid, status.st_gid, status.st_mode & 0o7777)
        linkCount = Int(status.st_nlink)
    }
}

/// The identity of a file, independent of its name.
package struct FileIdentity: Sendable, Hashable, Codable {
    fileprivate(set) var device: UInt64 = 0
    package private(set) var inode: UInt64 = 0
    /// The device of a device node, which is the same for all its paths.
    private var node: UInt64 = 0

    fileprivate init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }
    fileprivate init(node: UInt64) { self.node = node }

    /// Whether it is the same file, if both are in one directory. Hosts that share it have different device numbers.
    package func isSameFile(as other: FileIdentity) -> Bool { inode == other.inode && node == other.node }

    /// nil if the file does not exist. Symbolic links are not followed.
    package init?(_ path: String) {
        guard let status = FileStatus(path, followsLinks: false) else { return nil }
        self = status.identity
    }
}

/// Operations on paths as text, without accessing the file system except for links.
package enum FileName {
    /// Returns the path without symbolic links; nil if it leads nowhere.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the path with its directory free of symbolic links, `.` and `..`, so that all spellings are equal. The
    /// last component may be missing or a link.
    package static func canonical(_ path: String) -> String {
        let (directory, name) = directory(of: path)
        guard let resolved = resolved(directory) else { return path }
        return resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
    }

    /// Splits `dir/clip.part1.mp4` into `dir/clip.part1` and `mp4`. A leading dot is part of the name.
    package static func split(_ path: String) -> (stem: String, pathExtension: String) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path[slash...].lastIndex(of: "."), dot > slash else { return (path, "") }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }

    /// Returns the name of a directory, which may be written with slashes at the end.
    package static func withoutTrailingSlashes(_ path: String) -> String {
        path.count > 1 && path.hasSuffix("/") ? withoutTrailingSlashes(String(path.dropLast())) : path
    }

    /// Splits a path into the directory and the file's name in it.
    package static func directory(of path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        return (directory, String(path[path.index(after: slash)...]))
    }
}
