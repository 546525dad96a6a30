import CSystem
import Glibc

/// Operations on directories by path.
package enum Directory {
    /// Returns the names in a directory, unsorted; empty if it is unreadable.
    package static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Whether the process may list the directory and open what is in it.
    package static func isReadable(_ path: String) -> Bool { access(path, R_OK | X_OK) == 0 }

    /// Returns the names in a directory that lead to a file, unsorted.
    package static func names(in path: String, leadingTo file: FileIdentity) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { name in
                    var status = stat()
                    guard strcmp(name, ".") != 0, strcmp(name, "..") != 0,
                        fstatat(dirfd(directory), name, &status, 0) == 0, FileStatus(status).identity == file
                    else { return }
                    names.append(String(cString: name))
                }
            }
        }
        return names
    }

    /// Returns a directory and those below it, sorted. Does not follow symbolic links.
    package static func tree(_ path: String) -> [String] {
        let below = names(in: path).sorted().map { "\(path)/\($0)" }
            .filter { FileStatus($0, followsLinks: false)?.kind == .directory }
        return [path] + below.flatMap(tree)
    }

    /// Creates a directory and its missing parents.
    package static func make(_ path: String) throws(SystemError) {
        guard FileStatus(path)?.kind != .directory else { return }
        let above = FileName.directory(of: path).directory
        if above != path, above != "." { try make(above) }
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw SystemError("mkdir '\(path)'", errno) }
    }

    /// Writes its names to the disk, so that a rename survives a power failure.
    package static func synchronize(_ path: String) throws(SystemError) {
        try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Creates a private directory below `TMPDIR` or /tmp.
    package static func makeTemporary(_ prefix: String) throws(SystemError) -> String {
        var template = Array("\(temporary)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp in '\(temporary)'", errno) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// `TMPDIR`, or /tmp.
    package static var temporary: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    /// Returns the bytes that this user may still write to its file system; nil if unknown.
    package static func availableBytes(_ path: String) -> Int64? {
        var status = statvfs()
        guard let path = existing(path), statvfs(path, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    /// Returns the ID of a directory's file system; nil if unknown.
    package static func fileSystem(_ path: String) -> UInt64? {
        existing(path).flatMap { FileStatus($0) }?.identity.device
    }

    /// Returns the directory, or the nearest existing parent.
    private static func existing(_ path: String) -> String? {
        guard FileStatus(path) == nil else { return path }
        let above = FileName.directory(of: path).directory
        return above == path || above.isEmpty ? nil : existing(above)
    }

    /// Returns the size of a file, or of the files in a directory.
    package static func byteCount(_ path: String) -> Int64 {
        guard let status = FileStatus(path, followsLinks: false) else { return 0 }
        guard status.kind == .directory else { return status.byteCount }
        return names(in: path).reduce(0) { $0 + byteCount("\(path)/\($1)") }
    }

    /// Removes a file, or a directory with its contents.
    package static func remove(_ path: String) {
        if unlink(path) != 0 { removeTree(path) }
    }

    /// Removes a directory with its contents. Symbolic links are removed, not followed.
    package static func removeTree(_ path: String) {
        guard FileStatus(path, followsLinks: false)?.kind == .directory else { return }
        for name in names(in: path) {
            remove("\(path)/\(name)")
        }
        rmdir(path)
    }
}

extension Directory {
    /// The directory of vtx's cache: `$XDG_CACHE_HOME/vtx` or `~/.cache/vtx`; nil if neither is known.
    package static var cache: String? { ownDirectory("XDG_CACHE_HOME", ".cache") }

    /// The directory of users' settings: `$XDG_CONFIG_HOME/vtx` or `~/.config/vtx`; nil if neither is known.
    package static var configuration: String? { ownDirectory("XDG_CONFIG_HOME", ".config") }

    /// Follows the XDG Base Directory Specification: a variable must be an absolute path.
    private static func ownDirectory(_ name: String, _ standard: String) -> String? {
        let variable = { name in getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let path = variable(name) ?? variable("HOME").map { "\($0)/\(standard)" }
        return path.map { "\($0)/vtx" }
    }
}

/// A file without a name, which is removed when its descriptor is closed.
package struct UnnamedFile: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    package init() throws(SystemError) {
        var template = Array("\(Directory.temporary)/vtx-XXXXXX".utf8CString)
        let number = mkostemp(&template, O_CLOEXEC)
        guard number >= 0 else { throw SystemError("mkostemp in '\(Directory.temporary)'", errno) }
        descriptor = FileDescriptor(owning: number)
        unlink(template)
    }

    package var path: String { descriptor.path }
}

/// Operations on files that only this user may read.
package enum PrivateFile {
    /// Creates a file for this user alone, or makes an existing one private. An existing file is not opened: closing it
    /// would release the locks of a database that this process has open.
    package static func ensure(_ path: String) {
        if (try? FileDescriptor(opening: path, O_RDWR | O_CREAT | O_EXCL, permissions: 0o600)) == nil { close(path) }
    }

    /// Closes an existing file to other users.
    package static func close(_ path: String) { chmod(path, 0o600) }
}

/// Reads small text files, such as those of /proc and /sys.
package enum TextFile {
    /// - Parameter limit: The maximum number of bytes; the rest is cut off.
    /// - Returns: the text; nil if the file is missing or unreadable.
    package static func read(_ path: String, limit: Int = 65536) -> String? {
        guard let bytes = try? FileDescriptor(opening: path).readAll(limit: limit) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the target of a symbolic link; nil if it is not one.
    package static func linkTarget(_ path: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = max(0, buffer.withMemoryRebound(to: CChar.self) { readlink(path, $0.baseAddress!, $0.count) })
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

/// Watches directories (C: `inotify`).
package struct DirectoryEvents: ~Copyable, Sendable {
    package struct Event: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// A file was closed after writing, or moved here.
            case complete
            /// A file was created or written to.
            case changed
            case newDirectory
            /// The name was removed.
            case gone
            /// The watched directory was removed.
            case lost
            /// Events were lost because the kernel's queue was full.
            case overflow
        }

        package var kind: Kind
        /// The number returned by `watch`.
        package var directory: Int32
        package var name: String
    }

    private let descriptor: FileDescriptor

    package init() throws(SystemError) {
        let number = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("inotify_init1", errno) }
        descriptor = FileDescriptor(owning: number)
    }

    /// For `Poll`.
    package var number: Int32 { descriptor.number }

    /// - Returns: the directory's number; calling it again returns the same number.
    package func watch(_ path: String) throws(SystemError) -> Int32 {
        let events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_MODIFY | IN_MOVE_SELF
        let number = inotify_add_watch(
            descriptor.number, path, UInt32(events | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK))
        guard number >= 0 else { throw SystemError("inotify_add_watch '\(path)'", errno) }
        return number
    }

    /// Returns pending events without waiting.
    package func read() throws(SystemError) -> [Event] {
        var events: [Event] = []
        while case .bytes(let bytes) = try descriptor.readAvailable() { events += Self.events(in: bytes) }
        return events
    }

    /// Parses inotify(7): 32-bit numbers for directory, mask, cookie and the name's length, then the name.
    private static func events(in bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var start = 0
        while start + 16 <= bytes.count {
            let numbers = bytes.withUnsafeBytes { buffer in
                (0..<4).map { buffer.loadUnaligned(fromByteOffset: start + 4 * $0, as: UInt32.self) }
            }
            let end = min(start + 16 + Int(numbers[3]), bytes.count)
            let name = String(decoding: bytes[(start + 16)..<end].prefix { $0 != 0 }, as: UTF8.self)
            if let kind = kind(Int32(bitPattern: numbers[1])) {
                events.append(Event(kind: kind, directory: Int32(bitPattern: numbers[0]), name: name))
            }
            start = end
        }
        return events
    }

    private static func kind(_ mask: Int32) -> Event.Kind? {
        let has = { (bits: Int32) in mask & bits != 0 }
        if has(IN_Q_OVERFLOW) { return .overflow }
        if has(IN_IGNORED | IN_MOVE_SELF) { return .lost }
        if has(IN_ISDIR) { return has(IN_CREATE | IN_MOVED_TO) ? .newDirectory : nil }
        if has(IN_CLOSE_WRITE | IN_MOVED_TO) { return .complete }
        if has(IN_DELETE | IN_MOVED_FROM) { return .gone }
        return has(IN_CREATE | IN_MODIFY) ? .changed : nil
    }
}
