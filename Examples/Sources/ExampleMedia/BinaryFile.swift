import Glibc

/// A file that is written from the beginning to the end.
///
/// Unchecked: one session's handler, or one task, writes at a time.
public final class BinaryFile: @unchecked Sendable {
    public struct Failure: Error { public var path: String }

    private let file: UnsafeMutablePointer<FILE>
    private let path: String
    public private(set) var byteCount = 0

    public init(_ path: String) throws {
        guard let file = fopen(path, "wb") else { throw Failure(path: path) }
        (self.file, self.path) = (file, path)
    }

    deinit { fclose(file) }

    public func write(_ bytes: [UInt8]) throws {
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Failure(path: path) }
        byteCount += bytes.count
    }

    /// What is written is on its way to the disk.
    public func flush() { fflush(file) }
}

/// A file that is read piece by piece.
public final class InputFile {
    private let file: UnsafeMutablePointer<FILE>

    public init(_ path: String) throws {
        guard let file = fopen(path, "rb") else { throw BinaryFile.Failure(path: path) }
        self.file = file
    }

    deinit { fclose(file) }

    /// nil at the end.
    public func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = fread(&bytes, 1, count, file)
        return found == 0 ? nil : Array(bytes.prefix(found))
    }
}
