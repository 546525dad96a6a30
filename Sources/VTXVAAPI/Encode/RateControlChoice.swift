import VTXLibVA
import VTXMedia
import VTXSession

/// A rate control mode, by libavcodec's `rc_mode`.
struct RateControlChoice: Sendable, Hashable {
    enum Mode: String, Sendable, Hashable {
        case vbr = "VBR"
        case qvbr = "QVBR"
        case icq = "ICQ"
        case cbr = "CBR"
        case cqp = "CQP"
    }

    var mode: Mode
    var bitrate: Int?
    var maxBitrate: Int?
    /// ICQ's factor or CQP's quantizer, which for AV1 is an index from 1 to 255.
    var quality: Int?
    /// How this differs from the request; nil for no difference.
    var compromise: String?
}

extension RateControlChoice {
    /// Returns the modes to try, nearest to the request first, limited to those that the driver lists. A listed mode
    /// may still fail to open, in which case the next one is tried.
    static func candidates(
        for configuration: EncoderConfiguration, _ row: DriverCapabilities.Row, _ quirks: DriverQuirks
    ) -> [RateControlChoice] {
        let modes = row.rateControlModes
        let wanted =
            switch configuration.rateControl {
            case .bitrate(let average, _):
                holding(configuration.averageBitrate ?? average, configuration, prefersCBR: quirks.prefersCBR)
            case .quality(let quality, _):
                configuration.vbv.map { holding(quality, below: $0.bitrate, configuration) }
                    ?? holding(quality, configuration)
            }
        // A driver that lists nothing is assumed to support the simplest mode.
        let listed = wanted.filter { $0.mode.bits.map(modes.contains) ?? false }
        return listed.isEmpty ? wanted.filter { $0.mode == .cqp } : listed
    }

    /// For an average: VBR, QVBR and CBR reach it. ICQ and CQP do not; they come last, with a notice.
    private static func holding(
        _ average: Int, _ configuration: EncoderConfiguration, prefersCBR: Bool
    ) -> [RateControlChoice] {
        let max = configuration.vbv?.bitrate
        let quantizer = Quantizer.estimate(for: average, configuration)
        let constant = Quantizer.constant(Double(quantizer), configuration.codec)
        let rate = "\(average / 1000) kbit/s"
        let cbr = RateControlChoice(mode: .cbr, bitrate: average, maxBitrate: average)
        let variable = [
            RateControlChoice(mode: .vbr, bitrate: average, maxBitrate: max),
            RateControlChoice(mode: .qvbr, bitrate: average, maxBitrate: max, quality: quantizer),
        ]
        let loose = [
            RateControlChoice(
                mode: .icq, quality: quantizer,
                compromise: "the driver has no bit rate mode for this; using quality \(quantizer) (ICQ) for \(rate)"),
            RateControlChoice(
                mode: .cqp, quality: constant,
                compromise: "the driver has only constant QP; using QP \(constant) for about \(rate)"),
        ].map { max == nil ? $0 : $0.withoutLimit }
        return (prefersCBR || max == average ? [cbr] + variable : variable + [cbr]) + loose
    }

    private static func holding(_ quality: Quality, _ configuration: EncoderConfiguration) -> [RateControlChoice] {
        let scale = Quantizer.qp(for: quality, configuration.codec)
        let factor = Int(scale.rounded())
        let rate = Quantizer.rate(at: factor, configuration)
        return [
            RateControlChoice(mode: .icq, quality: max(1, factor)),
            RateControlChoice(mode: .cqp, quality: Quantizer.constant(scale, configuration.codec)),
            RateControlChoice(
                mode: .qvbr, bitrate: rate, quality: factor,
                compromise: "the driver has no quality mode without a rate; it is held below \(rate * 2 / 1000) kbit/s"),
            RateControlChoice(
                mode: .vbr, bitrate: rate,
                compromise: "the driver has no quality mode; using about \(rate / 1000) kbit/s for this quality"),
        ]
    }
}

extension RateControlChoice {
    /// For a quality with a limit, the modes are: QVBR, which supports both; a rate, which keeps the limit; ICQ and
    /// CQP, which keep only the quality.
    private static func holding(
        _ quality: Quality, below max: Int, _ configuration: EncoderConfiguration
    ) -> [RateControlChoice] {
        let scale = Quantizer.qp(for: quality, configuration.codec)
        let factor = Int(scale.rounded())
        let rate = min(max, Quantizer.rate(at: factor, configuration))
        let standIn = "the driver has no quality mode with a limit; using about \(rate / 1000) kbit/s for this quality"
        return [
            RateControlChoice(mode: .qvbr, bitrate: rate, maxBitrate: max, quality: factor),
            RateControlChoice(mode: .vbr, bitrate: rate, maxBitrate: max, compromise: standIn),
            RateControlChoice(mode: .cbr, bitrate: rate, maxBitrate: rate, compromise: standIn),
            RateControlChoice(mode: .icq, quality: Swift.max(1, factor)).withoutLimit,
            RateControlChoice(mode: .cqp, quality: Quantizer.constant(scale, configuration.codec)).withoutLimit,
        ]
    }

    private var withoutLimit: RateControlChoice {
        var choice = self
        choice.compromise = [compromise, "the driver's \(mode.rawValue) has no maximum rate"].compactMap(\.self)
            .joined(separator: "; ")
        return choice
    }
}

extension RateControlChoice.Mode {
    fileprivate var bits: RateControlModes? {
        switch self {
        case .vbr: .vbr
        case .qvbr: .qvbr
        case .icq: .icq
        case .cbr: .cbr
        case .cqp: .cqp
        }
    }
}

/// A rule of thumb for quantizer and bit rate: 0.1 bits per pixel at QP 26, doubling for each decrease by 6.
enum Quantizer {
    static func estimate(for bitrate: Int, _ configuration: EncoderConfiguration) -> Int {
        let ratio = Double(bitrate) / pixelRate(configuration) / bitsPerPixel(configuration.codec)
        return Int((26 - 6 * logarithm2(max(ratio, 1e-6))).rounded()).clamped(to: 16...42)
    }

    static func rate(at quantizer: Int, _ configuration: EncoderConfiguration) -> Int {
        let steps = Double(26 - quantizer) / 6
        return Int(pixelRate(configuration) * bitsPerPixel(configuration.codec) * powerOf2(steps))
    }

    /// On the scale of H.264 and HEVC, 1 to 51, which drivers also use for AV1's ICQ and QVBR.
    static func qp(for quality: Quality, _ codec: VideoCodec) -> Double {
        quality.rateFactor(for: codec == .av1 ? .hevc : codec)
    }

    /// Returns libavcodec's constant quantizer. AV1's `base_q_idx` is four times SVT-AV1's CRF of the same quality; 0
    /// is lossless.
    static func constant(_ qp: Double, _ codec: VideoCodec) -> Int {
        codec == .av1 ? Int((8 * qp - 88).rounded()).clamped(to: 1...255) : Int(qp.rounded())
    }

    private static func pixelRate(_ configuration: EncoderConfiguration) -> Double {
        Double(configuration.size.width * configuration.size.height) * max(1, configuration.frameRate.value)
    }

    private static func bitsPerPixel(_ codec: VideoCodec) -> Double { codec == .h264 ? 0.1 : 0.075 }

    private static func logarithm2(_ value: Double) -> Double {
        Double(value.exponent) + (value.significand - 1)
    }

    private static func powerOf2(_ exponent: Double) -> Double {
        let whole = exponent.rounded(.down)
        return Double(sign: .plus, exponent: Int(whole), significand: 1 + (exponent - whole))
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
