import VTXFFmpeg
import VTXMedia

/// Tells whether a file holds all that its headers promise. Only promises that are kept by whole files count.
struct TruncationCheck {
    private let promise: Double?
    private let missingFrames: Int
    private let totalFrames: Int
    private let endsInsidePacket: Bool
    /// What a Matroska file says of its own length.
    private let totalBytes: Int64
    private let missingBytes: Int64
    private var reached: Double = 0

    /// - Parameter isWhole: the file is read from its beginning to its end.
    init(_ source: Source, isWhole: Bool) {
        let frames = source.demuxer.indexedFrames(of: source.video.index, behind: source.byteCount)
        missingFrames = isWhole ? frames.behind : 0
        totalFrames = frames.total
        // Transport packets have 188 bytes, with a time stamp in front 192, with error correction behind 204.
        let isTransportStream = source.demuxer.formatName == "mpegts"
        endsInsidePacket =
            isWhole && isTransportStream && ![188, 192, 204].contains { source.byteCount.isMultiple(of: $0) }
        // Matroska's header has the duration of the finished file; MP4 has an index, which says more.
        let isMatroska = source.demuxer.formatName.hasPrefix("matroska")
        promise = isWhole && isMatroska ? source.demuxer.duration?.seconds : nil
        let end = isWhole && isMatroska ? MatroskaSegment.end(ofFile: source.path) : nil
        totalBytes = end ?? source.byteCount
        missingBytes = max(0, totalBytes - source.byteCount)
    }

    /// - Parameter offset: the ticks that were taken off its times.
    mutating func note(_ packet: Packet, offset: Int64) {
        guard let pts = packet.pts else { return }
        let start = MediaTime(pts + offset, packet.timeBase).seconds
        reached = max(reached, start + MediaTime(packet.duration, packet.timeBase).seconds)
    }

    /// nil for a file that is whole.
    var message: String? {
        if missingFrames > 0 {
            return "the source ends early: \(missingFrames) of its \(totalFrames) frames lie behind the end of the file"
        }
        if endsInsidePacket { return "the source ends early: in the middle of a transport packet" }
        if missingBytes > 0 {
            return "the source ends early: \(missingBytes) of its \(totalBytes) bytes are missing"
        }
        // Half a second: sparse streams and rounding make honest files a little shorter than they say.
        if let promise, reached < promise - 0.5 {
            return "the source ends early: at \(text(reached)) s of \(text(promise)) s"
        }
        return nil
    }

    private func text(_ seconds: Double) -> String { "\((seconds * 100).rounded() / 100)" }
}
