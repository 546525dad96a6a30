import VTXMedia
import VTXSystem
import VTXTask

/// What an output is going to take, told from what is there of it.
struct SizeProjection: Sendable, Hashable {
    /// How much of the source has to be in it.
    private static let minFraction = 0.1

    let written: Int64
    let total: Int64

    /// - Parameters:
    ///   - header: bytes of `written` that came before the first packet: attached files do not grow with the rest.
    ///   - fraction: how much of the source is in what is written; nil where that is not known.
    /// - Returns: nil where too little is known.
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
        let begin = MediaTime(first, plan.video.timeBase).seconds
        self.init(written: ledger.bytes, header: ledger.headerBytes, fraction: (last - begin) / seconds)
    }
}

/// How large an output may be, by the size of its source.
struct SizeLimit {
    private let output: String
    private let ratio: Double
    private let sourceBytes: Int64

    /// The end of a source may be easier than its beginning.
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
    ///   - written: bytes that are there.
    ///   - projection: what is to come; nil where that is not known.
    /// - Returns: why the work is to stop; nil where it may go on.
    func excess(written: Int64, _ projection: SizeProjection? = nil) -> TranscodeError? {
        if Double(written) > bytes { return error("is larger than", written) }
        guard let size = projection?.total else { return nil }
        return Double(size) > bytes * Self.margin ? error("is going to be larger than", size) : nil
    }

    private func error(_ what: String, _ size: Int64) -> TranscodeError {
        let (now, source) = (kilobytes(size), kilobytes(sourceBytes))
        return TranscodeError(
            .outputTooLarge,
            "'\(output)' \(what) \(option: .maxSizeRatio, "\(ratio)") allows: about \(now) kB, and the source has \(source) kB",
            hint: "nothing is left of it, and the source is as it was; a lower \(option: .quality) makes it smaller")
    }

    private func kilobytes(_ bytes: Int64) -> Int64 { (bytes + 500) / 1000 }
}
