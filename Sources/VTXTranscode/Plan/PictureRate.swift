import VTXFFmpeg
import VTXMedia
import VTXTask

/// The frame rate after deinterlacing, and the time base.
struct PictureRate: Sendable, Hashable {
    let deinterlacing: FilterConfiguration.Deinterlacing
    let rate: Rational
    let timeBase: Rational
    /// Whether the frame rate is constant.
    let isConstant: Bool
    /// Why the rate differs from the source's; nil if it does not.
    var reason: Message? {
        switch deinterlacing {
        case .never, .flaggedFrames, .everyFrame: nil
        case .everyField: "one frame per field"
        case .telecine: "3:2 pulldown is removed"
        }
    }

    static func of(_ source: Source, _ request: TranscodeRequest) -> PictureRate {
        let (own, deinterlacing) = (FrameRateChoice.of(source), request.deinterlacing)
        return PictureRate(
            deinterlacing: deinterlacing, rate: deinterlacing.rate(from: own.rate),
            timeBase: deinterlacing.timeBase(from: source.video.timeBase, frameRate: own.rate),
            isConstant: own.isConstantFrameRate || deinterlacing == .telecine)
    }

    /// - Throws: `telecine` if there is no pulldown to reverse.
    static func check(_ request: TranscodeRequest, _ source: Source) throws(TranscodeError) {
        guard request.deinterlace == .telecine else { return }
        let rate = FrameRateChoice.of(source).rate
        guard Pulldown(of: rate) != nil else {
            throw TranscodeError(
                .telecine,
                "\(option: .deinterlace, "telecine"): the source has \(rate) frames a second, and 3:2 pulldown makes 29.97",
                hint: "\(option: .deinterlace, "auto") deinterlaces frames that are marked as interlaced"
            ).at(stream: source.video.index)
        }
        let format = source.sample.shape.pixelFormat
        guard format.bitDepth > 8 || format.isRGB else { return }
        throw TranscodeError(
            .telecine,
            "\(option: .deinterlace, "telecine"): fields are matched in YUV of 8 bits, and the source has \(format)"
        ).at(stream: source.video.index)
    }
}

extension TranscodeRequest {
    var deinterlacing: FilterConfiguration.Deinterlacing {
        switch deinterlace {
        case .auto: .flaggedFrames
        case .on: .everyFrame
        case .off: .never
        case .field: .everyField
        case .telecine: .telecine
        }
    }
}

extension FilterConfiguration.Deinterlacing {
    /// The text in a plan.
    var text: String {
        switch self {
        case .never: "unchanged"
        case .flaggedFrames, .everyFrame: "deinterlaced"
        case .everyField: "deinterlaced, one frame per field"
        case .telecine: "3:2 pulldown removed (fieldmatch, decimate)"
        }
    }
}
