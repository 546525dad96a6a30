import CSystem
import Glibc

/// Directories by path.
package enum Directory {
    /// The names in a directory, unsorted; none where it cannot be read.
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

    /// Makes a directory, and those above it, where they are not there.
    package static func make(_ path: String) throws(SystemError) {
        guard FileStatus(path)?.kind != .directory else { return }
        let above = FileName.directory(of: path).directory
        if above != path, above != "." { try make(above) }
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw SystemError("mkdir '\(path)'", errno) }
    }

    /// Writes the names in it through to the disk, so that a rename survives a power cut.
    package static func synchronize(_ path: String) throws(SystemError) {
        try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Makes a directory of this process's own below `TMPDIR`, or /tmp.
    package static func makeTemporary(_ prefix: String) throws(SystemError) -> String {
        var template = Array("\(temporary)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp in '\(temporary)'", errno) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// `TMPDIR`, or /tmp.
    package static var temporary: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    /// Bytes that this user may still write to its file system; nil where it cannot be asked.
    package static func availableBytes(_ path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }

    /// Removes a directory and all in it. Symbolic links are removed, not followed.
    package static func removeTree(_ path: String) {
        for name in names(in: path) {
            let entry = "\(path)/\(name)"
            let isDirectory = FileStatus(entry, followsLinks: false)?.kind == .directory
            if isDirectory { removeTree(entry) } else { unlink(entry) }
        }
        rmdir(path)
    }
}

extension Directory {
    /// Where vtx keeps what it can do without: `$XDG_CACHE_HOME/vtx`, or `~/.cache/vtx`; nil where neither is known.
    package static var cache: String? {
        let variable = { name in getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let path = variable("XDG_CACHE_HOME") ?? variable("HOME").map { "\($0)/.cache" }
        return path.map { "\($0)/vtx" }
    }
}

/// A file without a name: it goes away with its descriptor.
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

/// Small text files, such as those of /proc and /sys.
package enum TextFile {
    /// - Parameter limit: bytes; what is longer is cut.
    /// - Returns: nil where the file is not there or not readable.
    package static func read(_ path: String, limit: Int = 65536) -> String? {
        guard let bytes = try? FileDescriptor(opening: path).readAll(limit: limit) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where a symbolic link leads; nil for what is none.
    package static func linkTarget(_ path: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = max(0, buffer.withMemoryRebound(to: CChar.self) { readlink(path, $0.baseAddress!, $0.count) })
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
