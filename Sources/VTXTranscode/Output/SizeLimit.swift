import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// The projected size of an output, from what has been written.
struct SizeProjection: Sendable, Hashable {
    /// The fraction of the source that must have been processed.
    private static let minFraction = 0.1

    let written: Int64
    let total: Int64

    /// - Parameters:
    ///   - header: The bytes of `written` before the first packet: attachments do not grow with the rest.
    ///   - fraction: The fraction of the source that is in `written`; nil if unknown.
    /// - Returns: nil if too little is known.
    init?(written: Int64, header: Int64 = 0, fraction: Double?) {
        guard let fraction, fraction >= Self.minFraction else { return nil }
        self.written = written
        total = header + Int64(Double(written - header) / min(1, fraction))
    }

    init?(_ ledger: OutputLedger, _ plan: TranscodePlan) {
        guard let seconds = plan.timestamps.expectedSeconds, seconds > 0, let first = ledger.firstTime,
            let last = ledger.entries[plan.videoIndex].lastTime
        else { return nil }
        // Frames that an encoder has and packets that wait for others are not among the bytes.
        let byTime = (last - MediaTime(first, plan.video.timeBase).seconds) / seconds
        // What took the source many bytes takes many here too: a title sequence says little of the lecture after it.
        let fraction = max(byTime, ledger.sourceFraction(until: last) ?? 0)
        self.init(written: ledger.bytes, header: ledger.headerBytes, fraction: fraction)
    }
}

/// How far into its bytes a source has been read at each second of the output.
struct SourcePositions: Sendable {
    private var entries: [(seconds: Double, fraction: Double)] = []

    mutating func note(_ fraction: Double, at seconds: Double) {
        if let last = entries.last, seconds < last.seconds + 1 { return }
        entries.append((seconds, fraction))
    }

    /// - Returns: nil before the first packet.
    func fraction(until seconds: Double) -> Double? { entries.last { $0.seconds <= seconds }?.fraction }
}

extension Source {
    /// Returns the fraction of the file's bytes before a packet; nil if unknown, as in a pipe and in joined files.
    func fraction(at packet: Packet) -> Double? {
        isJoined || byteCount == 0 ? nil : packet.position.map { Double($0) / Double(byteCount) }
    }
}

/// The maximum size of an output, relative to its source.
struct SizeLimit {
    private let output: String
    private let ratio: Double
    private let sourceBytes: Int64

    /// The tolerance for a source whose end is simpler than its beginning.
    private static let margin = 1.1

    /// - Parameter ratio: nil for no limit.
    init?(_ plan: TranscodePlan, ratio: Double?) {
        guard let ratio, let bytes = FileStatus(plan.input)?.byteCount else { return nil }
        self.init(output: plan.output, ratio: ratio, sourceBytes: bytes)
    }

    init(output: String, ratio: Double, sourceBytes: Int64) {
        (self.output, self.ratio, self.sourceBytes) = (output, ratio, sourceBytes)
    }

    private var bytes: Double { ratio * Double(sourceBytes) }

    /// - Parameters:
    ///   - written: The number of bytes written.
    ///   - projection: The projected size; nil if unknown.
    /// - Returns: why to stop; nil to continue.
    func excess(written: Int64, _ projection: SizeProjection? = nil) -> TranscodeError? {
        if Double(written) > bytes { return error("is larger than", written) }
        guard let size = projection?.total else { return nil }
        return Double(size) > bytes * Self.margin ? error("is projected to be larger than", size) : nil
    }

    private func error(_ what: String, _ size: Int64) -> TranscodeError {
        let (now, source) = (kilobytes(size), kilobytes(sourceBytes))
        return TranscodeError(
            .outputTooLarge,
            "'\(output)' \(what) \(option: .maxSizeRatio, "\(ratio)") allows: about \(now) kB, and the source has \(source) kB",
            hint: "the output was removed, and the source was not changed; a lower \(option: .quality) makes it smaller"
        )
    }

    private func kilobytes(_ bytes: Int64) -> Int64 { (bytes + 500) / 1000 }
}
