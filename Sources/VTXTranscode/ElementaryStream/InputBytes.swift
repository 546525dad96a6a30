import Glibc
import VTXFFmpeg
import VTXSystem
import VTXTask

/// The bytes of a file or a pipe, in order; those at the beginning can be looked at first.
///
/// Unchecked: one thread reads.
final class InputBytes: ByteSource, @unchecked Sendable {
    /// As messages name it.
    let name: String
    private let descriptor: FileDescriptor
    /// Looked at, not yet read.
    private var ahead: [UInt8] = []

    private init(name: String, descriptor: consuming FileDescriptor) {
        self.name = name
        self.descriptor = descriptor
    }

    /// - Parameter path: `-` is standard input.
    static func open(_ path: String) throws(TranscodeError) -> InputBytes {
        if path != "-" { try InputFile.checkIsNoDevice(path) }
        let name = name(of: path)
        let descriptor: FileDescriptor
        do throws(SystemError) {
            descriptor = try path == "-" ? FileDescriptor(duplicating: STDIN_FILENO) : FileDescriptor(opening: path)
        } catch { throw InputFile.unreadable(name, error.code) }
        let bytes = InputBytes(name: name, descriptor: descriptor)
        guard bytes.kind != .directory else { throw InputFile.unreadable(name, EISDIR) }
        return bytes
    }

    /// As messages name a path.
    static func name(of path: String) -> String { path == "-" ? "standard input" : "'\(path)'" }

    /// Leads to the file, whatever its name has become to mean; nil for pipes and the like, which are read only once.
    var path: String? { kind == .regular ? descriptor.path : nil }

    private var kind: FileStatus.Kind? { descriptor.status?.kind }

    /// The first bytes, which stay to be read: more and more of them, until something has been made of them.
    ///
    /// - Returns: nil where nothing was made of the first `limit` bytes either.
    func lookAhead<Result>(limit: Int, _ recognize: ([UInt8]) -> Result?) throws(TranscodeError) -> Result? {
        while true {
            if let result = recognize(ahead) { return result }
            guard ahead.count < limit else { return nil }
            let more = try readMore()
            guard !more.isEmpty else { return nil }
            ahead += more
        }
    }

    /// The next bytes; none at the end.
    func next() throws(TranscodeError) -> [UInt8] {
        guard ahead.isEmpty else {
            defer { ahead = [] }
            return ahead
        }
        return try readMore()
    }

    func read(into target: inout MutableRawSpan) throws(SystemError) -> Int {
        guard !ahead.isEmpty else { return try descriptor.read(into: &target) }
        let count = min(target.byteCount, ahead.count)
        for index in 0..<count { target.storeBytes(of: ahead[index], toByteOffset: index, as: UInt8.self) }
        ahead.removeFirst(count)
        return count
    }

    private static let chunkSize = 1 << 18

    private func readMore() throws(TranscodeError) -> [UInt8] {
        do throws(SystemError) { return try descriptor.read(upTo: Self.chunkSize) } catch {
            throw InputFile.unreadable(name, error.code)
        }
    }
}
