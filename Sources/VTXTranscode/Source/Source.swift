package import VTXFFmpeg
package import VTXMedia

/// How often frames come in a file that has no times.
package enum RawFrameRate: Sendable, Hashable {
    /// As the headers say; or the file has times.
    case told
    /// No header says it: libavformat's 25.
    case assumed
    case asked(Rational)

    var asked: Rational? { if case .asked(let rate) = self { rate } else { nil } }
}

/// An opened file with the beginning already looked at: the packets that were read to look come out again first.
///
/// Unchecked: one thread at a time reads.
package final class Source: @unchecked Sendable {
    package let path: String
    package let byteCount: Int64
    package private(set) var demuxer: Demuxer
    package let video: InputStream
    package let sample: ProbedFrames
    package let rawFrameRate: RawFrameRate
    /// Streams that begin with encrypted packets.
    package let encryptedStreams: Set<Int>
    private var lookahead: [Packet]
    private var next = 0
    private var wanted: Set<Int> = []

    /// Frames are counted at the stream's rate: packets have no times, or not those of the rate that was asked for.
    var countsFrames: Bool { demuxer.hasNoTimestamps || rawFrameRate.asked != nil }

    init(
        path: String, byteCount: Int64, demuxer: Demuxer, video: InputStream, sample: ProbedFrames,
        rawFrameRate: RawFrameRate = .told, lookahead: [Packet]
    ) {
        self.path = path
        self.byteCount = byteCount
        self.demuxer = demuxer
        self.video = video
        self.sample = sample
        self.rawFrameRate = rawFrameRate
        encryptedStreams = Set(lookahead.filter(\.isEncrypted).map(\.streamIndex))
        self.lookahead = lookahead
    }

    package var streams: [InputStream] { demuxer.streams }

    /// The stream that a plan speaks of.
    func stream(_ info: StreamInfo) -> InputStream? { streams.first { $0.index == info.index } }

    /// The next packet in file order; nil at the end.
    package func read() throws(FFmpegError) -> Packet? {
        guard next < lookahead.count else { return try demuxer.read() }
        defer {
            next += 1
            if next == lookahead.count { (lookahead, next) = ([], 0) }
        }
        return lookahead[next]
    }

    /// How far before the target to look for a key frame, in seconds: transport streams are sought in by time alone.
    private static let seekMargins = [0.0, 2, 10, 60]

    /// Goes on from a key frame of the video at or before a time; from the beginning where no such place can be found.
    package func seek(to time: MediaTime) throws(FFmpegError) {
        // What is already at hand begins early enough, or the file has no times to look for.
        guard let first = video.startTime, MediaTime(first, video.timeBase).seconds < time.seconds else { return }
        for margin in Self.seekMargins {
            let earlier = MediaTime(time.ticks - MediaTime(seconds: margin).ticks, MediaTime.microseconds)
            do { try demuxer.seek(to: earlier) } catch { break }
            if try readToKeyFrame(before: time) { return }
        }
        (lookahead, next) = ([], 0)
        // Not every demuxer can go back to its first byte; a new one is there already.
        demuxer = try Demuxer(path: path, frameRate: rawFrameRate.asked)
        demuxer.keepOnly(wanted)
    }

    /// Packets of other streams are not even read where the container can step over them.
    package func keepOnly(_ indices: Set<Int>) {
        wanted = indices
        demuxer.keepOnly(indices)
    }

    /// Reads on to the first key frame of the video; what comes with it is kept for `read`.
    ///
    /// - Returns: false where that frame, or its time, is after the target.
    private func readToKeyFrame(before time: MediaTime) throws(FFmpegError) -> Bool {
        (lookahead, next) = ([], 0)
        while let packet = try demuxer.read() {
            lookahead.append(packet)
            guard packet.streamIndex == video.index else { continue }
            guard let start = packet.presentationTime ?? packet.dts.map({ MediaTime($0, packet.timeBase) }),
                start.seconds <= time.seconds
            else { return false }
            if packet.isKeyFrame { return true }
        }
        return false
    }
}
