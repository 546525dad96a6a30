import Glibc
import VTXFFmpeg

/// The bytes of a file or a pipe, in order; those at the beginning can be looked at first.
///
/// Unchecked: one thread reads.
final class InputBytes: ByteSource, @unchecked Sendable {
    /// As messages name it.
    let name: String
    private let descriptor: Int32
    /// Looked at, not yet read.
    private var ahead: [UInt8] = []

    private init(name: String, descriptor: Int32) {
        self.name = name
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// - Parameter path: `-` is standard input.
    static func open(_ path: String) throws(TranscodeError) -> InputBytes {
        if path != "-" { try InputFile.checkIsNoDevice(path) }
        let descriptor =
            path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : Glibc.open(path, O_RDONLY | O_CLOEXEC)
        let name = name(of: path)
        guard descriptor >= 0 else { throw InputFile.unreadable(name, errno) }
        let bytes = InputBytes(name: name, descriptor: descriptor)
        guard !bytes.isDirectory else { throw InputFile.unreadable(name, EISDIR) }
        return bytes
    }

    /// As messages name a path.
    static func name(of path: String) -> String { path == "-" ? "standard input" : "'\(path)'" }

    /// Leads to the file, whatever its name has become to mean; nil for pipes and the like, which are read only once.
    var path: String? {
        mode & S_IFMT == S_IFREG ? "/proc/self/fd/\(descriptor)" : nil
    }

    private var isDirectory: Bool { mode & S_IFMT == S_IFDIR }

    private var mode: mode_t {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_mode : 0
    }

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

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !ahead.isEmpty else { return readDescriptor(into: buffer) }
        let count = min(buffer.count, ahead.count)
        buffer.copyBytes(from: ahead[..<count])
        ahead.removeFirst(count)
        return count
    }

    private static let chunkSize = 1 << 18

    private func readMore() throws(TranscodeError) -> [UInt8] {
        var status = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, count in
            status = readDescriptor(into: UnsafeMutableRawBufferPointer(buffer))
            count = max(0, status)
        }
        guard status >= 0 else { throw InputFile.unreadable(name, Int32(-status)) }
        return chunk
    }

    private func readDescriptor(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { return -Int(errno) }
        }
    }
}
