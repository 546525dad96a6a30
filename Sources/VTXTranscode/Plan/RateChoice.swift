import VTXMedia
import VTXTask

/// The choice of rate control.
enum RateChoice {
    /// Returns the rate control; constant quality by default, because the source's bit rate says how it was encoded,
    /// not what its content needs.
    static func choose(_ request: TranscodeRequest, _ codec: VideoCodec, _ notes: inout PlanNotes) -> RateControl {
        let rate = request.rateControl ?? .quality(.standard)
        let limit = rate.max.map { ", at most \(megabits($0))" } ?? ""
        let standard: Message = "the default; \(option: .quality) or \(option: .bitrate) change it"
        let size = request.targetSize.map { "for \(option: .targetSize, "\($0)")" as Message }
        let wanted = request.wantedBitrate.map { "\(megabits($0)) " } ?? ""
        let requested: Message = request.usesTwoPasses ? "\(wanted)requested, in two passes" : "requested"
        let reason = request.target.map { "for \($0)" } ?? size ?? (request.rateControl == nil ? standard : requested)
        switch rate {
        case .quality(let quality, _):
            let own = text(request.segmentQualities, codec) ?? text([quality], codec)
            notes.decide("rate", own + limit, because: reason)
        case .bitrate(let average, _): notes.decide("rate", megabits(average) + limit, because: reason)
        }
        noteRoom(request.wantedBitrate.map { .bitrate(average: $0, max: rate.max) } ?? rate, &notes)
        return rate
    }

    /// `quality 51.5 to 70 (CRF 30.4 to 23 for H.264) in 6 parts`; nil if there are none.
    private static func text(_ segments: [SegmentQuality], _ codec: VideoCodec) -> String? {
        let qualities = segments.map(\.quality).sorted { $0.value < $1.value }
        guard let lowest = qualities.first, let highest = qualities.last else { return nil }
        return text(lowest == highest ? [lowest] : [lowest, highest], codec)
            + " in \(counted(segments.count, "part", "parts"))"
    }

    private static func text(_ qualities: [Quality], _ codec: VideoCodec) -> String {
        let (values, factors) = (qualities.map(\.value), qualities.map { $0.rateFactor(for: codec) })
        func range(_ values: [Double]) -> String { values.map(format).joined(separator: " to ") }
        return "quality \(range(values)) (CRF \(range(factors)) for \(codec))"
    }

    /// Notes an average close to the maximum, which leaves no room for key frames.
    private static func noteRoom(_ rate: RateControl, _ notes: inout PlanNotes) {
        guard case .bitrate(let average, let max?) = rate, Double(average) > VBV.flowing * Double(max) else { return }
        let (reached, needed) = (VBV.flowing * Double(max), Double(average) / VBV.flowing)
        notes.note(
            .rateAverage,
            "the average will be about \(megabits(Int(reached))): key frames take the rest of \(megabits(max)) in a "
                + "second; a maximum of \(megabits(Int(needed))) leaves room for \(megabits(average))")
    }

    /// `5.12 Mb/s`.
    static func megabits(_ bitrate: Int) -> String {
        bitrate < 1_000_000 ? "\(bitrate / 1000) kb/s" : "\(format(Double(bitrate) / 1_000_000)) Mb/s"
    }

    /// Formats with at most two decimals, without trailing zeros.
    private static func format(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let fraction = hundredths % 100
        if fraction == 0 { return "\(hundredths / 100)" }
        let digits = fraction % 10 == 0 ? "\(fraction / 10)" : (fraction < 10 ? "0\(fraction)" : "\(fraction)")
        return "\(hundredths / 100).\(digits)"
    }
}
