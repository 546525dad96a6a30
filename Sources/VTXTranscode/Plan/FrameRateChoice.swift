import VTXFFmpeg
import VTXMedia

/// What the source's frame rate is; containers often do not know.
struct FrameRateChoice {
    var rate: Rational
    /// All frames follow each other at `rate`.
    var isConstantFrameRate: Bool

    private static let plausible = 1.0...300.0

    static func of(_ source: Source) -> FrameRateChoice {
        if let asked = source.rawFrameRate.asked { return FrameRateChoice(rate: asked, isConstantFrameRate: true) }
        return of(source.video.info, source.sample)
    }

    private static func of(_ stream: StreamInfo, _ sample: ProbedFrames) -> FrameRateChoice {
        let average = stream.averageFrameRate
        let real = stream.realFrameRate
        let isAveragePlausible = average.isPositive && plausible.contains(average.value)
        let isRealPlausible = real.isPositive && plausible.contains(real.value)
        if isAveragePlausible {
            return FrameRateChoice(
                rate: average, isConstantFrameRate: isRealPlausible && abs(real.value / average.value - 1) < 0.001)
        }
        if isRealPlausible { return FrameRateChoice(rate: real, isConstantFrameRate: false) }
        let measured = sample.measuredRate.map { Rational(Int(($0 * 1000).rounded()), 1000) }
        if let measured, plausible.contains(measured.value) {
            return FrameRateChoice(rate: measured, isConstantFrameRate: false)
        }
        return FrameRateChoice(rate: Rational(25, 1), isConstantFrameRate: false)
    }
}
