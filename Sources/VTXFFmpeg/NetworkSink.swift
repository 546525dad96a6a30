import CFFmpeg
package import VTXSystem

/// A network destination for bytes that are converted between the muxer and the protocol (C: `AVIOContext`).
///
/// Unchecked: one thread at a time calls it.
package final class NetworkSink: ByteSink, @unchecked Sendable {
    private let context: UnsafeMutablePointer<AVIOContext>
    private let interruption: NetworkInterruption

    /// Connects.
    ///
    /// - Parameters:
    ///   - url: A URL with one of libavformat's protocols.
    ///   - interruption: Limits how long connecting may wait, and each later call of the muxer.
    package init(url: String, interruption: NetworkInterruption) throws(FFmpegError) {
        var opened: UnsafeMutablePointer<AVIOContext>?
        var callback = interruption.callback
        interruption.begin()
        try check(avio_open2(&opened, url, AVIO_FLAG_WRITE, &callback, nil), "avio_open2")
        context = try require(opened, "avio_open2")
        self.interruption = interruption
    }

    deinit {
        interruption.begin()
        avio_close(context)
    }

    package func write(_ bytes: RawSpan) throws(SystemError) {
        bytes.withUnsafeBytes { avio_write(context, $0.baseAddress, Int32($0.count)) }
        avio_flush(context)
        guard context.pointee.error >= 0 else { throw SystemError("avio_write", -context.pointee.error) }
    }
}
