import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// How many bits, and how often a key frame.
enum RateChoice {
    /// VideoToolbox's well-known configuration: 5000 * 1024 bit/s.
    static let defaultBitrate = 5000 * 1024

    static func choose(
        _ request: TranscodeRequest, _ source: Source, _ codec: VideoCodec, _ notes: inout PlanNotes
    ) -> RateControl {
        switch request.rateControl {
        case .quality(let quality):
            let factor = quality.rateFactor(for: codec)
            notes.decide(
                "rate", "quality \(format(quality.value))",
                because: "asked for; that is CRF \(format(factor)) for \(codec)")
            return .quality(quality)
        case .bitrate(let average, let max):
            let limit = max.map { ", at most \(megabits($0))" } ?? ""
            notes.decide("rate", megabits(average) + limit, because: "asked for")
            return .bitrate(average: average, max: max)
        case nil: return followSource(source, codec, &notes)
        }
    }

    /// The default, or less where the source shows that less will do.
    private static func followSource(
        _ source: Source, _ codec: VideoCodec, _ notes: inout PlanNotes
    ) -> RateControl {
        let known = sourceBitrate(source)
        let size = source.sample.shape.size
        // A picture takes a few hundred bits whatever it shows; below that a header is lying.
        guard known > size.width * size.height / 50 else {
            notes.decide("rate", megabits(defaultBitrate), because: "the default; --quality or --bitrate change it")
            return .bitrate(average: defaultBitrate, max: nil)
        }
        let enough = Int(
            Double(known) * efficiency(of: source.video.codecName) / efficiency(of: codec.rawValue))
        let average = min(defaultBitrate, enough)
        notes.decide(
            "rate", megabits(average),
            because: average == defaultBitrate
                ? "the default; --quality or --bitrate change it"
                : "enough for a source of \(megabits(known)); --quality or --bitrate change it")
        return .bitrate(average: average, max: nil)
    }

    /// How far a bit goes, next to H.264; a newer codec needs no more than an older one had.
    private static func efficiency(of codecName: String) -> Double {
        switch codecName {
        case "hevc", "vp9": 1.3
        case "av1": 1.5
        case "h264": 1
        // Rather too many bits than too few.
        default: 0.8
        }
    }

    /// Bits per second of the video; what the container does not say is the file's rate without the sound's.
    private static func sourceBitrate(_ source: Source) -> Int {
        let own = source.video.bitrate
        if own > 0 { return own }
        let others = source.streams.filter { $0.index != source.video.index }.map(\.bitrate)
        return max(0, source.demuxer.bitrate - others.reduce(0, +))
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
