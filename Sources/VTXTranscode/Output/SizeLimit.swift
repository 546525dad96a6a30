import VTXMedia
import VTXSystem
import VTXTask

/// How large an output may be, by the size of its source.
struct SizeLimit {
    private let output: String
    private let ratio: Double
    private let sourceBytes: Int64

    /// How much has to be there before what is to come is told from it.
    private static let minFraction = 0.1
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
    ///   - fraction: how much of the source is in them; nil where that is not known.
    /// - Returns: why the work is to stop; nil where it may go on.
    func excess(written: Int64, fraction: Double?) -> TranscodeError? {
        if Double(written) > bytes { return error("is larger than", written) }
        guard let fraction, fraction >= Self.minFraction else { return nil }
        let size = Double(written) / fraction
        return size > bytes * Self.margin ? error("is going to be larger than", Int64(size)) : nil
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
