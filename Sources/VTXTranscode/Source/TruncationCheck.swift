package import VTXFFmpeg
import VTXMedia

/// Checks whether a file contains everything that its headers declare, in all its streams including dropped ones.
package struct TruncationCheck {
    /// The libavformat name of the demuxer.
    private let format: String
    private let source: Source
    /// The number of packets in the file's index, and of those beyond its end.
    private let index: (total: Int, missing: Int)
    private let duration: Double?
    private var reached = 0.0

    /// Half a second: sparse streams and rounding make complete files slightly shorter than declared.
    private static let tolerance = 0.5
    /// Transport packets have 188 bytes, 192 with a timestamp prefix, 204 with error correction.
    private static let transportPackets: [Int64] = [188, 192, 204]

    /// nil for a part of a file, which cannot be checked.
    package init?(_ source: Source, isWhole: Bool) {
        guard isWhole else { return nil }
        self.source = source
        format = source.demuxer.formatName
        index = source.piped == nil ? source.index : (0, 0)
        // Matroska's header has the length of the finished file; MP4 has an index, which says more.
        duration = format.hasPrefix("matroska") ? source.demuxer.duration?.seconds : nil
    }

    /// Whether packets of dropped streams have to be read for the check.
    package static func needsAllStreams(_ source: Source) -> Bool { source.demuxer.formatName.hasPrefix("matroska") }

    /// - Parameter packet: As returned by the demuxer.
    package mutating func note(_ packet: Packet) {
        guard let time = packet.presentationTime else { return }
        reached = max(reached, time.seconds + MediaTime(packet.duration, packet.timeBase).seconds)
    }

    /// nil for a complete file.
    package var message: String? {
        let (byteCount, totalBytes) = (source.knownByteCount, source.declaredByteCount)
        let index = source.piped == nil ? index : source.index
        if let message = Self.message(of: index) { return "source is truncated: \(message)" }
        if format == "mpegts", !Self.transportPackets.contains(where: { byteCount.isMultiple(of: $0) }) {
            return "source is truncated: it ends within a transport packet"
        }
        if format == "ogg", source.piped == nil, OggPage.isCut(inFile: source.currentPath) {
            return "source is truncated: it ends within a page"
        }
        if let totalBytes, byteCount < totalBytes {
            return "source is truncated: \(totalBytes - byteCount) of its \(totalBytes) bytes are missing"
        }
        return duration.flatMap { Self.message(reached: reached, of: $0) }.map { "source is truncated: \($0)" }
    }

    /// - Parameter index: The numbers of indexed packets, and of those beyond the end of the file.
    static func message(of index: (total: Int, missing: Int)) -> String? {
        index.missing > 0 ? "\(index.missing) of \(index.total) indexed packets are missing" : nil
    }

    /// - Parameters:
    ///   - reached: The end of the last packet, in seconds.
    ///   - end: The declared end.
    static func message(reached: Double, of end: Double) -> String? {
        reached < end - tolerance ? "it ends at \(text(reached)) s of \(text(end)) s" : nil
    }

    private static func text(_ seconds: Double) -> String { "\((seconds * 100).rounded() / 100)" }
}

extension Source {
    /// The size of the input; that of a pipe is known at its end.
    fileprivate var knownByteCount: Int64 { piped?.byteCount ?? byteCount }

    /// The size that a Matroska file declares; nil for other files.
    fileprivate var declaredByteCount: Int64? {
        guard demuxer.formatName.hasPrefix("matroska") else { return nil }
        return piped.map { MatroskaSegment.end(in: $0.beginning) } ?? MatroskaSegment.end(ofFile: currentPath)
    }

    fileprivate var index: (total: Int, missing: Int) {
        let end = knownByteCount
        return demuxer.streams.map { demuxer.indexedPackets(of: $0.index, beyond: end) }
            .reduce((0, 0)) { ($0.total + $1.total, $0.missing + $1.missing) }
    }
}
