package import VTXFFmpeg
package import VTXMedia

/// An opened file with the beginning already looked at: the packets that were read to look come out again first.
///
/// Unchecked: one thread at a time reads.
package final class Source: @unchecked Sendable {
    package let path: String
    package let byteCount: Int64
    package let demuxer: Demuxer
    package let video: InputStream
    package let sample: FrameSample
    private var lookahead: [Packet]
    private var next = 0

    init(path: String, byteCount: Int64, demuxer: Demuxer, video: InputStream, sample: FrameSample, lookahead: [Packet])
    {
        self.path = path
        self.byteCount = byteCount
        self.demuxer = demuxer
        self.video = video
        self.sample = sample
        self.lookahead = lookahead
    }

    package var streams: [InputStream] { demuxer.streams }

    /// The next packet in file order; nil at the end.
    package func read() throws(FFmpegError) -> Packet? {
        guard next < lookahead.count else { return try demuxer.read() }
        defer {
            next += 1
            if next == lookahead.count { (lookahead, next) = ([], 0) }
        }
        return lookahead[next]
    }

    /// Goes on from the last key frame at or before a time.
    package func seek(to time: MediaTime) throws(FFmpegError) {
        (lookahead, next) = ([], 0)
        try demuxer.seek(to: time)
    }
}
