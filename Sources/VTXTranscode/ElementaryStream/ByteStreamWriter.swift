import Glibc
import VTXBitstream

/// Writes NAL units as a byte stream, each behind a start code of four bytes.
final class ByteStreamWriter {
    private let name: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Of all that was written.
    private(set) var digest = ContentDigest()
    private(set) var unitCount = 0

    init(_ file: OutputFile) throws(TranscodeError) {
        name = file.finalPath
        descriptor = open(file.openedPath, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(name, errno) }
        buffer.reserveCapacity(2 * Self.bufferSize)
    }

    deinit { close(descriptor) }

    private static let bufferSize = 1 << 20

    func write(_ unit: RawSpan) throws(TranscodeError) {
        buffer += AnnexB.startCode
        unit.withUnsafeBytes { buffer.append(contentsOf: $0) }
        unitCount += 1
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// To be called at the end.
    func flush() throws(TranscodeError) {
        digest.add(buffer.span.bytes)
        var written = 0
        while written < buffer.count {
            let count = buffer[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw Self.failure(name, errno) }
            written += max(0, count)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private static func failure(_ name: String, _ error: Int32) -> TranscodeError {
        OutputFile.failure("'\(name)' cannot be written", error)
    }
}
