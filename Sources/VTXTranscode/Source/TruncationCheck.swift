import VTXFFmpeg
import VTXMedia

/// Tells whether a file holds all that its headers promise, by all of its streams: those too that are not kept.
struct TruncationCheck {
    /// libavformat's name of the demuxer.
    private let format: String
    private let index: (total: Int, missing: Int)
    private let byteCount: Int64
    /// What a Matroska file says of its own length.
    private let totalBytes: Int64
    private let duration: Double?
    private var reached = 0.0

    /// Half a second: sparse streams and rounding make whole files a little shorter than they say.
    private static let tolerance = 0.5
    /// Transport packets have 188 bytes, 192 with a timestamp before each, 204 with error correction after each.
    private static let transportPackets: [Int64] = [188, 192, 204]

    /// nil for a part of a file, which keeps no promises.
    init?(_ source: Source, isWhole: Bool) {
        guard isWhole else { return nil }
        format = source.demuxer.formatName
        byteCount = source.byteCount
        let counts = source.streams.map { source.demuxer.indexedPackets(of: $0.index, beyond: source.byteCount) }
        index = counts.reduce((0, 0)) { ($0.total + $1.total, $0.missing + $1.missing) }
        // Matroska's header has the length of the finished file; MP4 has an index, which says more.
        let isMatroska = format.hasPrefix("matroska")
        duration = isMatroska ? source.demuxer.duration?.seconds : nil
        totalBytes = (isMatroska ? MatroskaSegment.end(ofFile: source.path) : nil) ?? byteCount
    }

    /// Whether packets of streams that are not kept have to be read for it.
    static func needsAllStreams(_ source: Source) -> Bool { source.demuxer.formatName.hasPrefix("matroska") }

    /// - Parameter packet: as the demuxer gives it.
    mutating func note(_ packet: Packet) {
        guard let time = packet.presentationTime else { return }
        reached = max(reached, time.seconds + MediaTime(packet.duration, packet.timeBase).seconds)
    }

    /// nil for a file that is whole.
    var message: String? {
        if index.missing > 0 {
            return "source is truncated: \(index.missing) of \(index.total) indexed packets are missing"
        }
        if format == "mpegts", !Self.transportPackets.contains(where: { byteCount.isMultiple(of: $0) }) {
            return "source is truncated: it ends within a transport packet"
        }
        if byteCount < totalBytes {
            return "source is truncated: \(totalBytes - byteCount) of its \(totalBytes) bytes are missing"
        }
        if let duration, reached < duration - Self.tolerance {
            return "source is truncated: it ends at \(text(reached)) s of \(text(duration)) s"
        }
        return nil
    }

    private func text(_ seconds: Double) -> String { "\((seconds * 100).rounded() / 100)" }
}
