import VTXFFmpeg
import VTXSystem
import VTXTask

/// An output that is written once, from its beginning to its end: standard output.
///
/// Unchecked: one thread at a time writes.
final class PipedOutput: ByteSink, @unchecked Sendable {
    private let end: PipeEnd
    private let willWrite: @Sendable () -> Void
    private let count = Locked<Int64>(0)
    /// nil where it is not wanted.
    private var digest: SHA256?

    /// - Parameters:
    ///   - digests: a digest of all bytes is wanted.
    ///   - willWrite: called before each write.
    init(_ end: PipeEnd, digests: Bool, willWrite: @escaping @Sendable () -> Void) {
        (self.end, self.willWrite) = (end, willWrite)
        if digests { digest = SHA256() }
    }

    /// Ends waiting for a reader.
    func stop() { end.stop() }

    /// Where a shell has opened a file for it.
    var status: FileStatus? { end.status }

    var byteCount: Int64 { count.withLock { $0 } }

    func write(_ bytes: RawSpan) throws(SystemError) {
        willWrite()
        try end.write(bytes)
        digest?.add(bytes)
        let added = Int64(bytes.byteCount)
        count.withLock { $0 += added }
    }

    /// All that has been written; nil where no digest was wanted.
    var bytes: PipedBytes? { digest.map { PipedBytes(count: byteCount, sha256: $0.finish().hexadecimal) } }
}
