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

    /// The requested rates that are exceeded.
    var notices: [Notice] {
        guard let rate = requested else { return [] }
        return [
            RateChoice.excess(over: rate, peak: ledger.peakBitrate),
            RateChoice.excess(over: rate, bits: Int(bits), seconds: seconds),
        ].compactMap(\.self)
    }
}
