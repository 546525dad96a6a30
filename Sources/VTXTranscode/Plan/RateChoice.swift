import VTXMedia
import VTXSession
import VTXTask

/// How many bits.
enum RateChoice {
    /// Without an option, quality decides: a source's own rate says how it was coded, not what its pictures need.
    static func choose(_ request: TranscodeRequest, _ codec: VideoCodec, _ notes: inout PlanNotes) -> RateControl {
        let rate = request.rateControl ?? .quality(.standard)
        let limit = rate.max.map { ", at most \(megabits($0))" } ?? ""
        let standard: Message = "the default; \(option: .quality) or \(option: .bitrate) change it"
        let reason = request.rateControl == nil ? standard : "asked for"
        switch rate {
        case .quality(let quality, _):
            let factor = "CRF \(format(quality.rateFactor(for: codec))) for \(codec)"
            notes.decide("rate", "quality \(format(quality.value)) (\(factor))\(limit)", because: reason)
        case .bitrate(let average, _): notes.decide("rate", megabits(average) + limit, because: reason)
        }
        noteRoom(rate, &notes)
        return rate
    }

    /// An average near the most that a second may take leaves no room for key frames.
    private static func noteRoom(_ rate: RateControl, _ notes: inout PlanNotes) {
        guard case .bitrate(let average, let max?) = rate, Double(average) > VBV.flowing * Double(max) else { return }
        let (reached, needed) = (VBV.flowing * Double(max), Double(average) / VBV.flowing)
        notes.note(
            .rateAverage,
            "the average will be about \(megabits(Int(reached))): key frames take the rest of \(megabits(max)) in a "
                + "second; a maximum of \(megabits(Int(needed))) leaves room for \(megabits(average))")
    }

    /// GPUs have rate controls of their own; what one made of a limit is measured.
    ///
    /// - Parameter peak: bits of the second that has the most of them.
    static func excess(over rate: RateControl, peak: Int) -> Notice? {
        guard let max = rate.max, peak > max else { return nil }
        return Notice(
            .rateMaximum,
            "a second of the video takes \(megabits(peak)), more than the \(megabits(max)) that were asked "
                + "for: the encoder did not keep the limit")
    }

    /// `5.12 Mb/s`.
    static func megabits(_ bitrate: Int) -> String {
        bitrate < 1_000_000 ? "\(bitrate / 1000) kb/s" : "\(format(Double(bitrate) / 1_000_000)) Mb/s"
    }

    /// With two digits at most, and none where they are zero.
    private static func format(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let fraction = hundredths % 100
        if fraction == 0 { return "\(hundredths / 100)" }
        let digits = fraction % 10 == 0 ? "\(fraction / 10)" : (fraction < 10 ? "0\(fraction)" : "\(fraction)")
        return "\(hundredths / 100).\(digits)"
    }
}
