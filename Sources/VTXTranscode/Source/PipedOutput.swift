import VTXFFmpeg
import VTXSystem
import VTXTask

/// An output that can be written only once and forward: standard output.
///
/// Unchecked: written by one thread at a time.
final class PipedOutput: ByteSink, @unchecked Sendable {
    private let end: PipeEnd
    private let willWrite: @Sendable () -> Void
    private let count = Locked<Int64>(0)
    /// nil if not requested.
    private var digest: SHA256?

    /// - Parameters:
    ///   - digests: Whether to compute a digest of all bytes.
    ///   - willWrite: Called before each write.
    init(_ end: PipeEnd, digests: Bool, willWrite: @escaping @Sendable () -> Void) {
        (self.end, self.willWrite) = (end, willWrite)
        if digests { digest = SHA256() }
    }

    /// Stops waiting for a reader.
    func stop() { end.stop() }

    /// The status of the file, if a shell has opened one for it.
    var status: FileStatus? { end.status }

    var byteCount: Int64 { count.withLock { $0 } }

    func write(_ bytes: RawSpan) throws(SystemError) {
        willWrite()
        try end.write(bytes)
        digest?.add(bytes)
        let added = Int64(bytes.byteCount)
        count.withLock { $0 += added }
    }

    /// The size and digest of everything written; nil if not requested.
    var bytes: PipedBytes? { digest.map { PipedBytes(count: byteCount, sha256: $0.finish().hexadecimal) } }
}
