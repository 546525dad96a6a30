import Glibc
import VTXBitstream
import VTXSystem
import VTXTask

/// Writes NAL units as a byte stream, each after a start code of four bytes.
final class ByteStreamWriter {
    private let name: String
    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    /// Of all that was written.
    private(set) var digest = ContentDigest()
    private(set) var unitCount = 0

    init(_ file: AtomicFile) throws(TranscodeError) {
        name = file.finalPath
        do throws(SystemError) { descriptor = try FileDescriptor(opening: file.openedPath, O_WRONLY) } catch {
            throw Self.failure(file.finalPath, error)
        }
        buffer.reserveCapacity(2 * Self.bufferSize)
    }

    private static let bufferSize = 1 << 20

    func write(_ unit: RawSpan) throws(TranscodeError) {
        buffer += AnnexB.startCode
        buffer.append(unit)
        unitCount += 1
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// To be called at the end.
    func flush() throws(TranscodeError) {
        digest.add(buffer.span.bytes)
        do throws(SystemError) { try descriptor.writeAll(buffer.span.bytes) } catch { throw Self.failure(name, error) }
        buffer.removeAll(keepingCapacity: true)
    }

    private static func failure(_ name: String, _ error: SystemError) -> TranscodeError {
        TranscodeError(output: "'\(name)' cannot be written", error.code)
    }
}
