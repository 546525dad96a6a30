import Glibc

/// Identifies a source, to detect a changed one.
package struct SourceIdentity: Codable, Hashable, Sendable {
    package var byteCount: Int64
    /// In nanoseconds since 1970.
    package var modificationTime: Int64
    /// The SHA-256 of the first and last 64 KiB, which contain headers and indexes.
    package var digest: String

    private static let sampleSize = 1 << 16

    package init(of path: String) throws(SystemError) {
        let file = try FileDescriptor(opening: path)
        guard let status = file.status else { throw SystemError("fstat '\(path)'", errno) }
        byteCount = status.byteCount
        modificationTime = status.modificationTime
        var digest = SHA256()
        digest.add(try file.read(at: 0, upTo: Self.sampleSize))
        let tail = max(Int64(Self.sampleSize), byteCount - Int64(Self.sampleSize))
        digest.add(try file.read(at: tail, upTo: Self.sampleSize))
        self.digest = digest.finish().hexadecimal
    }

    /// Identifies a directory of files by their names, sizes and modification times, which a rename does not change.
    package init(ofFilesIn directory: String) throws(SystemError) {
        var digest = SHA256()
        (byteCount, modificationTime) = (0, 0)
        for name in Directory.names(in: directory).sorted() {
            guard let status = FileStatus("\(directory)/\(name)", followsLinks: false) else {
                throw SystemError("stat '\(directory)/\(name)'", errno)
            }
            digest.add(Array("\(name)/\(status.byteCount)/\(status.modificationTime)\n".utf8))
            byteCount += status.byteCount
            modificationTime = max(modificationTime, status.modificationTime)
        }
        self.digest = digest.finish().hexadecimal
    }

    /// Identifies a finished output: a file, or a directory of files.
    package init(ofOutput path: String) throws(SystemError) {
        let isDirectory = FileStatus(path, followsLinks: false)?.kind == .directory
        self = try isDirectory ? SourceIdentity(ofFilesIn: path) : SourceIdentity(of: path)
    }
}

/// A source as it was at some time, to detect that it has changed or that another file has its name.
package struct SourceState: Codable, Hashable, Sendable {
    private let file: FileIdentity
    package let identity: SourceIdentity

    package init(of path: String) throws(SystemError) {
        guard let file = FileIdentity(path) else { throw SystemError("stat '\(path)'", errno) }
        self.file = file
        identity = try SourceIdentity(of: path)
    }

    /// Whether the path still leads to the same file with the same content.
    package func isUnchanged(at path: String) -> Bool {
        guard let now = try? SourceState(of: path) else { return false }
        return now.file.isSameFile(as: file) && now.identity == identity
    }
}
