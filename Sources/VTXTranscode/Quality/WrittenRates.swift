import VTXMedia
import VTXTask

/// The bit rates of a complete output's video.
struct WrittenRates {
    let plan: TranscodePlan
    let ledger: OutputLedger
    /// nil if the video is copied.
    let requested: RateControl?

    /// The duration of the video.
    var seconds: Double {
        let times = ledger.videoTimes
        let span = MediaTime((times.last ?? 0) - (times.first ?? 0), plan.video.timeBase).seconds
        let rate = plan.video.frameRate
        return span + (rate.isPositive ? rate.reciprocal.value : ledger.lastDuration)
    }

    private var bits: Double { Double(ledger.encodedByteCount) * 8 }

    /// In bits per second; nil if unknown.
    var average: Double? { bits > 0 && seconds > 0 ? bits / seconds : nil }

    /// The requested rates that are exceeded. GPUs have their own rate control, so the output is measured.
    var notices: [Notice] {
        guard let rate = requested else { return [] }
        return [
            Self.maximumNotice(rate, peak: ledger.peakBitrate),
            Self.averageNotice(rate, bits: Int(bits), seconds: seconds),
        ].compactMap(\.self)
    }

    /// - Parameter peak: The maximum number of bits in any one second.
    static func maximumNotice(_ rate: RateControl, peak: Int) -> Notice? {
        guard let max = rate.max, peak > max else { return nil }
        let (written, allowed) = (RateChoice.megabits(peak), RateChoice.megabits(max))
        return Notice(
            .rateMaximum, "the encoder exceeded the maximum bit rate: \(written) in one second instead of \(allowed)")
    }

    /// - Returns: nil if the output has nearly the target size.
    static func unusedNotice(_ size: Int, _ output: String, _ written: Int64) -> Notice? {
        guard Double(written) < Double(size) * 0.95 else { return nil }
        return Notice(.rateFound, "'\(output)' has \(written) of \(size) bytes: the encoder comes no closer")
    }

    /// The factor by which the average may be exceeded, and the minimum duration of a video for the check.
    private static let (averageTolerance, averageSeconds) = (1.2, 5.0)

    /// - Parameters:
    ///   - bits: The size of the whole video.
    ///   - seconds: Its duration.
    static func averageNotice(_ rate: RateControl, bits: Int, seconds: Double) -> Notice? {
        guard case .bitrate(let average, _) = rate, seconds >= averageSeconds,
            Double(bits) > Double(average) * averageTolerance * seconds
        else { return nil }
        let (written, requested) = (RateChoice.megabits(Int(Double(bits) / seconds)), RateChoice.megabits(average))
        return Notice(
            .rateMissed, "the encoder exceeded the average bit rate: \(written) instead of \(requested)")
    }
}
